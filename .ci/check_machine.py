"""Say what this machine lacks for a build, before pip says it in two hundred lines."""

import os
import shutil
import sys
import sysconfig


def missing_for_environment():
    """Yield what a virtual environment lacks (any Python 3 can read this file)."""
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


def missing_for_build():
    """Yield what the compiler needs and does not have; setup.py asks this as well."""
    if os.name != "nt":  # there setuptools finds the compiler, and says so if not
        yield from missing_compiler()
    header = os.path.join(sysconfig.get_paths()["include"], "Python.h")
    if not os.path.exists(header):
        yield (
            "The C headers of this Python are missing ({}). On Debian and Ubuntu: "
            "apt install python3-dev".format(header)
        )


def missing_compiler():
    """Yield a sentence unless the C++ compiler that setuptools will call is there."""
    command = os.environ.get("CXX") or sysconfig.get_config_var("CXX") or "c++"
    chosen = command.split()[0]
    if shutil.which(chosen):
        return
    others = [name for name in ("c++", "g++", "clang++") if shutil.which(name)]
    if others:
        yield (
            "The C++ compiler '{}' is not here, but '{}' is. Set the environment "
            "variable: CXX={}".format(chosen, others[0], others[0])
        )
    else:
        yield (
            "There is no C++ compiler ('{}' was not found). On Debian and Ubuntu: "
            "apt install g++; on macOS: xcode-select --install; elsewhere install "
            "one and set the environment variable CXX to it.".format(chosen)
        )


if __name__ == "__main__":
    found = list(missing_for_environment())
    if sys.version_info >= (3, 10):
        found += missing_for_build()
    sys.stderr.writelines("{}: {}\n".format(sys.executable, what) for what in found)
    sys.exit(bool(found))
