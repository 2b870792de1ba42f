"""Copy what a build reads to FOLDER, where no release build is in the way."""

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILES = ("pyproject.toml", "setup.py", "README.md", "LICENSE", ".ci/check_machine.py")
BUILT = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", "*.cpp")

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: copy_sources.py FOLDER")
    folder = Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "spacy_latperc", folder / "spacy_latperc", ignore=BUILT)
    for name in FILES:
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
