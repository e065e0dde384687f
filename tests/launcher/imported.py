"""A program that says whether a module was imported before it ran, and ends with 3; without a name, it stays."""

from __future__ import annotations

import sys
import time

if __name__ == "__main__":
    if not sys.argv[1]:
        time.sleep(99)
    sys.stdout.write(f"{sys.argv[1] in sys.modules}\n")
    sys.exit(3)
