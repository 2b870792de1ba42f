"""Say what this machine lacks for a build, before pip says it in two hundred lines."""

import os
import shutil
import sys
import sysconfig


def missing():
    """Yield one sentence for each missing thing (any Python 3 can read this file)."""
    if sys.version_info < (3, 10):
        yield (
            "Python {}.{} is too old, 3.10 or newer is needed. Name one: "
            "make PYTHON=python3.12".format(*sys.version_info)
        )
        return
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        yield (
            "This Python cannot make virtual environments: venv or ensurepip is "
            "missing. On Debian and Ubuntu: apt install python3-venv"
        )
    compilers = os.environ.get("CXX", "").split()[:1] + ["c++", "g++", "clang++"]
    if not any(shutil.which(name) for name in compilers):
        yield (
            "There is no C++ compiler. On Debian and Ubuntu: apt install g++; on "
            "macOS: xcode-select --install; elsewhere set CXX."
        )
    header = os.path.join(sysconfig.get_paths()["include"], "Python.h")
    if not os.path.exists(header):
        yield (
            "The C headers of this Python are missing ({}). On Debian and Ubuntu: "
            "apt install python3-dev".format(header)
        )


if __name__ == "__main__":
    sentences = ["{}: {}\n".format(sys.executable, what) for what in missing()]
    sys.stderr.writelines(sentences)
    sys.exit(bool(sentences))
