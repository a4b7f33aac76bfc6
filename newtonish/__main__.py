"""``python -m newtonish``: the same as the console script."""

import sys

from newtonish.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
