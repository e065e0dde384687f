"""`python -m lab.tries`: as `exaim tries`."""

import typer

from lab.cli import tries

if __name__ == "__main__":
    typer.run(tries)
