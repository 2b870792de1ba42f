"""`python -m tools.run_recipes [NAME ...]`: every recipe in an environment of its own.

Needs the wheel of `make wheel`. Writes a row for each to docs/results/recipes.md.
"""

import re
import shutil
import subprocess
import sys
import venv
from datetime import date
from pathlib import Path
from time import perf_counter

import srsly

ROOT = Path(__file__).resolve().parent.parent
LOG = ROOT / "docs" / "results" / "recipes.md"
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
    bin_, log = WORK / "environment" / "bin", (WORK / "log.txt").open("wb")
    venv.create(bin_.parent, clear=True, with_pip=True)
    wheels = sorted((ROOT / "wheelhouse").glob("spacy_latperc-*.whl"))
    pip = [str(bin_ / "python"), "-I", "-m", "pip", "install", "-q", "--no-compile"]
    names = recipe["install"].split()
    subprocess.run([*pip, str(wheels[-1]), *names], check=True)
    if alone := recipe.get("alone"):
        subprocess.run([*pip, "--no-deps", alone], check=True)
    path = {"PATH": f"{bin_}:/usr/bin:/bin", "HOME": str(Path.home())}
    command, start = ["sh", "-ec", recipe["run"]], perf_counter()
    done = subprocess.run(command, cwd=WORK, env=path, stdout=log, stderr=log)
    seconds = perf_counter() - start
    listed = [str(bin_ / "python"), "-I", "-m", "pip", "freeze"]
    found = subprocess.run(listed, capture_output=True, text=True, check=True).stdout
    names = re.findall(r"(?<!\S)[\w-]+", " ".join([*names, alone or "spacy", "numpy"]))
    pins = (x.split("==") for x in found.replace("_", "-").split() if "==" in x)
    shown = ", ".join(" ".join(pin) for pin in pins if pin[0] in names)
    outcome = "runs" if done.returncode == 0 else f"fails ({done.returncode})"
    return f"{date.today()} | {shown} | {seconds:.0f} | {outcome}"


if __name__ == "__main__":
    main()
