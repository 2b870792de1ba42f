"""`python -m tools.run_recipes [NAME ...]`: every recipe in an environment of its own.

Needs the wheel of `make wheel`. Writes a row for each to docs/dev/recipes.md.
"""

import shutil
import subprocess
import sys
import venv
from datetime import date
from pathlib import Path
from time import perf_counter

import srsly

ROOT = Path(__file__).resolve().parent.parent
LOG = ROOT / "docs" / "dev" / "recipes.md"
WORK = ROOT / "build" / "recipes"


def main() -> None:
    table = srsly.read_yaml(Path(__file__).with_name("recipes.yml"))
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    for name in ("assets", "configs", "examples"):
        (WORK / name).symlink_to(ROOT / name)
    for name in ["first", *(sys.argv[1:] or list(table)[1:])]:
        row = run(table[name])
        lines = [x for x in LOG.read_text("utf8").splitlines() if f"`{name}`" not in x]
        if name != "first":
            lines.append(f"| `{name}` | {row} |")
        LOG.write_text("\n".join(lines) + "\n", "utf8")


def run(recipe: dict[str, str]) -> str:
    """Run a recipe. RETURNS: its row."""
    folder = WORK / "environment"
    venv.create(folder, clear=True, with_pip=True)
    bin_, log = folder / "bin", (WORK / "log.txt").open("wb")
    wheels = sorted((ROOT / "wheelhouse").glob("spacy_latperc-*.whl"))
    pip = [str(bin_ / "python"), "-I", "-m", "pip", "install", "-q", "--no-compile"]
    names = recipe["install"].split()
    subprocess.run([*pip, str(wheels[-1]), *names], check=True)
    if alone := recipe.get("alone"):
        subprocess.run([*pip, "--no-deps", alone], check=True)
    start = perf_counter()
    path = {"PATH": f"{bin_}:/usr/bin:/bin", "HOME": str(Path.home())}
    command = ["sh", "-ec", recipe["run"]]
    done = subprocess.run(command, cwd=WORK, env=path, stdout=log, stderr=log)
    seconds = perf_counter() - start
    listed = [str(bin_ / "python"), "-I", "-m", "pip", "freeze"]
    found = subprocess.run(listed, capture_output=True, text=True, check=True).stdout
    wanted = {x.partition("[")[0] for x in [*names, alone or "spacy", "numpy"]}
    pins = found.replace("_", "-").split()
    versions = [x for x in pins if x.partition("==")[0] in wanted]
    outcome = "runs" if done.returncode == 0 else f"fails ({done.returncode})"
    shown = ", ".join(x.replace("==", " ") for x in versions)
    return f"{date.today()} | {shown} | {seconds:.0f} | {outcome}"


if __name__ == "__main__":
    main()
