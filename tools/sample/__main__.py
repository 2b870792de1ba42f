"""Write the bundled sample: python -m tools.sample FOLDER."""

import argparse
from pathlib import Path

from .generate import write_sample
from .real_and_false import write_real_and_false
from .with_errors import write_with_errors


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.sample", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the files go")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--train", type=int, default=1200, help="sentences to train on")
    parser.add_argument("--dev", type=int, default=200)
    parser.add_argument("--test", type=int, default=200)
    options = vars(parser.parse_args())
    write_sample(**options)
    for write, most in ((write_real_and_false, 800), (write_with_errors, 1000)):
        write(**{**options, "train": min(options["train"], most)})


if __name__ == "__main__":
    main()
