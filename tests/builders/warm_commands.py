"""Commands of a Python that has imported spaCy already, which takes a second otherwise.

Each runs in a process of its own, forked from one that only did these imports.
"""

import multiprocessing
import os
import runpy
import subprocess
import sys

MODULES = ("spacy",)  # those that are worth it
_MOST_SECONDS = 300


def run_python(arguments, folder, env):
    """Run `python ARGUMENTS` in a folder, with the variables of an environment."""
    arguments = list(arguments)
    forks = "forkserver" in multiprocessing.get_all_start_methods()
    if not forks or arguments[0] != "-m" or arguments[1] not in MODULES:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=folder,
            env={**os.environ, **env},
            capture_output=True,
            text=True,
            timeout=_MOST_SECONDS,
        )
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["spacy.cli", "spacy_latperc.cli"])
    files = [folder / f".printed-{number}" for number in (1, 2)]
    for file in files:
        file.touch()
    given = (arguments[1:], folder, {**os.environ, **env}, files)
    process = context.Process(target=_run, args=given)
    process.start()
    process.join(_MOST_SECONDS)
    if process.is_alive():
        process.kill()
        raise subprocess.TimeoutExpired(arguments, _MOST_SECONDS)
    printed = [file.read_text(encoding="utf8") for file in files]
    for file in files:
        file.unlink()
    return subprocess.CompletedProcess(arguments, process.exitcode or 0, *printed)


def _run(arguments, folder, env, files):
    for number, file in enumerate(files, 1):
        os.dup2(os.open(file, os.O_WRONLY), number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    sys.path[:0] = [str(folder), *env.get("PYTHONPATH", "").split(os.pathsep)]
    sys.argv = arguments
    runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
