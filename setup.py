"""How the kernels are compiled; everything else is in pyproject.toml."""

import os
import runpy
import sys
import time
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.modified import newer_group

KERNELS = Path("spacy_latperc/kernels")
# The C++ that Cython writes makes a thousand lines of warnings; errors still show.
LANGUAGE = ["-std=c++17", "-w"]
# The same sums on every machine: nothing may be fused or reordered.
ARITHMETIC = ["-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]
# Cython's run-time checks, which the checked builds turn on.
CHECKS = ("boundscheck", "wraparound", "initializedcheck", "nonecheck")
DIRECTIVES = {"language_level": 3, "cdivision": True, **dict.fromkeys(CHECKS, False)}
# LATPERC_BUILD chooses. Python's own flags hold -DNDEBUG, hence -UNDEBUG.
BUILDS = {
    "release": {"checks": False, "compile": ["-O3", "-g0"], "strip": True},
    "checked": {
        "checks": True,
        "compile": [
            "-O1",
            "-UNDEBUG",
            "-DLATPERC_CHECKED",
            "-DLATPERC_SCALAR",
            "-D_GLIBCXX_ASSERTIONS",
        ],
    },
    # Python's own flags may hold -fwrapv, which would hide overflows of signed numbers.
    "sanitize": {
        "checks": False,
        "compile": [
            "-O1",
            "-g1",
            "-fno-omit-frame-pointer",
            "-fno-wrapv",
            "-fsanitize=address,undefined",
            "-fno-sanitize-recover=undefined",
        ],
        "link": ["-fsanitize=address,undefined"],
    },
    "threads": {
        "checks": False,
        "compile": ["-O1", "-g1", "-fsanitize=thread"],
        "link": ["-fsanitize=thread"],
    },
}


def extensions():
    """One extension for each .pyx file; each depends on every header."""
    kinds = ("*.hh", "*.pxi")
    shared = [Path("setup.py"), *(f for kind in kinds for f in KERNELS.rglob(kind))]
    return [
        Extension(
            ".".join(source.with_suffix("").parts),
            sources=[source.as_posix()],
            depends=sorted(path.as_posix() for path in shared),
            include_dirs=[KERNELS.as_posix()],
            language="c++",
        )
        for source in sorted(KERNELS.rglob("*.pyx"))
    ]


class CompileKernels(build_ext):
    """Says what is missing, shows progress, and uses every core."""

    def run(self):
        sentences = list(runpy.run_path(".ci/check_machine.py")["missing_for_build"]())
        if sentences:
            sys.exit("\n".join(["The kernels cannot be compiled here.", *sentences]))
        super().run()

    def build_extensions(self):
        name = os.environ.get("LATPERC_BUILD") or "release"
        if name not in BUILDS:
            sys.exit(f"LATPERC_BUILD is {name!r}. Choose one of: {', '.join(BUILDS)}.")
        build = BUILDS[name]
        checks = dict.fromkeys(CHECKS, build["checks"])
        self.cython_directives = {**DIRECTIVES, **checks}
        self.parallel = self.parallel or os.cpu_count()
        for extension in self.extensions:
            if self.compiler.compiler_type == "msvc":
                extension.extra_compile_args = ["/O2", "/std:c++17", "/fp:precise"]
                continue
            extension.extra_compile_args = [*build["compile"], *LANGUAGE, *ARITHMETIC]
            extension.extra_link_args = list(build.get("link", ()))
            if build.get("strip") and sys.platform.startswith("linux"):
                extension.extra_link_args = ["-Wl,--strip-all"]
        self.stale = [each for each in self.extensions if not self.is_fresh(each)]
        self.started, self.compiled = time.monotonic(), 0
        self.translate()
        super().build_extensions()

    def translate(self):
        """Cython is not safe in threads: all of it comes before the compiler."""
        from Cython.Build import cythonize

        for number, extension in enumerate(self.stale, start=1):
            extension.sources = cythonize(
                extension,
                compiler_directives=self.cython_directives,
                force=True,
                include_path=extension.include_dirs,
                quiet=True,
            )[0].sources
            self.report(number, "translated to C++", extension)

    def build_extension(self, extension):
        if extension in self.stale:
            super().build_extension(extension)
            self.compiled += 1
            self.report(self.compiled, "compiled", extension)
        elif self.editable_mode:
            target = self.get_ext_fullpath(extension.name)
            self.mkpath(os.path.dirname(target))
            self.copy_file(self.earlier_build(extension), target)

    def report(self, number, what, extension):
        seconds = time.monotonic() - self.started
        line = (
            f"{number:2}/{len(self.stale)} {what}: {extension.name} ({seconds:.0f} s)"
        )
        print(line, flush=True)

    def is_fresh(self, extension):
        files = [*extension.sources, *extension.depends]
        return not (self.force or newer_group(files, self.earlier_build(extension)))

    def earlier_build(self, extension):
        """The compiled file of an earlier build.

        An editable install works in a temporary folder: it may take the file that
        stands beside the source.
        """
        target = Path(self.get_ext_fullpath(extension.name))
        if self.editable_mode:
            target = Path(extension.sources[0]).with_name(target.name)
        return str(target)


if __name__ == "__main__":
    setup(ext_modules=extensions(), cmdclass={"build_ext": CompileKernels})
