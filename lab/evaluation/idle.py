"""What of the engine does nothing on any spent source? Each function, branch and condition is counted while they play.

    python -m lab.evaluation.idle [--splits tune develop] [--traces FOLDER]      # two to three minutes of one core

Printed: functions that were never called or always answered alike (with something, or with False, None or an empty
collection), branches that were never entered, conditions that came out one way, with how often, and rows of forms that
find nothing in any sentence. `--few N` adds the functions that answered with something in at most N sets. Idle is not
useless: guards for bad input, forms of safety and public names are idle, too, as the sources hold none of what they are
for (docs/decisions/116, 192).
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final

PACKAGE = "exaim_core"
CASES: Final = "cases"
_MAY_BE_NOTHING: Final = frozenset(
    "bool str list tuple Sequence Iterable Collection set frozenset dict Mapping".split()
)


@dataclass(slots=True)
class Counts:
    """Places of counted source by number, and how often each was reached; of a condition, true and false.

    Of what a function answers it is also counted in which set (`playing`) that was something.
    """

    places: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    reached: Counter[int] = field(default_factory=Counter)
    came_out: Counter[tuple[int, bool]] = field(default_factory=Counter)
    playing: str = ""
    answered: dict[int, Counter[str]] = field(default_factory=dict)

    def reach(self, number: int) -> None:
        """Count a place."""
        self.reached[number] += 1

    def decide(self, number: int, value: object) -> object:
        """Count how a condition comes out, and return it."""
        self.came_out[number, bool(value)] += 1
        return value

    def answer(self, number: int, value: object) -> object:
        """Count what a function answers with, and return it."""
        if value:
            self.answered.setdefault(number, Counter())[self.playing] += 1
        return self.decide(number, value)

    def few(self, most: int) -> Iterator[str]:
        """Give the functions that answered with something, in at most so many sets."""
        for number, sets in self.answered.items():
            if len(sets) <= most and self.came_out[number, False]:
                yield f"{self.conditions[number]}: {sets.total()} times, in {', '.join(sorted(sets))}"

    def idle(self) -> Iterator[str]:
        """Give what never ran, and what never decided."""
        yield from (place for number, place in enumerate(self.places) if not self.reached[number])
        for number, condition in enumerate(self.conditions):
            true, false = self.came_out[number, True], self.came_out[number, False]
            if bool(true) is not bool(false):
                yield f"{condition}: always {bool(true)}, {true or false} times"


class _Counting(ast.NodeTransformer):
    """Puts a counter into each function and branch, and around each condition."""

    def __init__(self, counts: Counts, file: str) -> None:
        self._counts, self._file = counts, file
        self._answers: list[int | None] = []  # of the functions around, the number of what each answers

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._answers.append(self._answering(node))
            self.generic_visit(node)
            self._answers.pop()
        else:
            self.generic_visit(node)
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                at = int(ast.get_docstring(node) is not None)
                if node.body[at:]:
                    node.body.insert(at, self._reach(node, f"{node.name} is never called"))
            case ast.If():
                node.body.insert(0, self._reach(node, "the branch is never entered"))
                node.test = self._decide(node.test)
            case ast.While():
                node.body.insert(0, self._reach(node, "the block is never entered"))
                node.test = self._decide(node.test)
            case ast.match_case():
                node.body.insert(0, self._reach(node.pattern, "the case is never met"))
                node.guard = node.guard and self._decide(node.guard)
            case ast.For() | ast.ExceptHandler():
                node.body.insert(0, self._reach(node, "the block is never entered"))
            case ast.IfExp():
                node.test = self._decide(node.test)
            case ast.BoolOp():
                node.values = [self._decide(value) for value in node.values]
            case ast.Return(value=ast.expr() as value) if self._answers[-1] is not None:
                node.value = _call("ANSWER__", ast.Constant(self._answers[-1]), value)
            case ast.comprehension():
                node.ifs = [self._decide(value) for value in node.ifs]
        return node

    def _reach(self, node: ast.stmt | ast.ExceptHandler | ast.pattern, what: str) -> ast.stmt:
        self._counts.places.append(f"{self._file}:{node.lineno} {what}")
        return ast.Expr(_call("REACH__", ast.Constant(len(self._counts.places) - 1)))

    def _answering(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> int | None:
        """Return a number for what a function answers; None for one whose answer is never nothing."""
        answer = ast.unparse(node.returns) if node.returns else ""
        if answer.split("[")[0] not in _MAY_BE_NOTHING and not answer.endswith("| None"):
            return None
        self._counts.conditions.append(f"{self._file}:{node.lineno} {node.name} answers")
        return len(self._counts.conditions) - 1

    def _decide(self, test: ast.expr) -> ast.expr:
        if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "DECIDE__":
            return test  # the operands are counted
        self._counts.conditions.append(f"{self._file}:{test.lineno} {ast.unparse(test)}")
        return _call("DECIDE__", ast.Constant(len(self._counts.conditions) - 1), test)


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), [*arguments], [])


def counted(source: str, file: str, counts: Counts) -> CodeType:
    """Return the code of `source` with its counters. Raises: SyntaxError."""
    tree = _Counting(counts, file).visit(ast.parse(source))
    ast.fix_missing_locations(tree)
    return compile(tree, file, "exec", dont_inherit=True)  # type: ignore[call-overload,no-any-return]


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, counts: Counts) -> None:
        super().__init__(name, path)
        self._counts = counts

    def get_code(self, fullname: str) -> CodeType:
        path = Path(self.get_filename(fullname))
        return counted(path.read_text(encoding="utf-8"), f"{fullname}", self._counts)

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(REACH__=self._counts.reach, DECIDE__=self._counts.decide)
        vars(module).update(ANSWER__=self._counts.answer)
        super().exec_module(module)


class Finder(MetaPathFinder):
    """Loads the modules of a package with counters; none of them may be loaded before."""

    def __init__(self, counts: Counts, package: str = PACKAGE) -> None:
        self._counts, self._package = counts, package

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how a module of the package is loaded; None for any other."""
        if fullname.partition(".")[0] != self._package:
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and spec.origin is not None and spec.origin.endswith(".py"):
            spec.loader = _Loader(fullname, spec.origin, self._counts)
        return spec


def idle_rows(texts: Sequence[str]) -> Iterator[str]:
    """Give the rows of forms that find nothing in any of `texts`."""
    from exaim_core.text.rows import Lexicon

    modules = [module for name, module in sys.modules.items() if name.startswith(f"{PACKAGE}.")]
    found = {
        id(each): each for module in modules for each in vars(module).values() if isinstance(each, Lexicon)
    }
    for forms in found.values():
        for form, rows in forms.rows().items():
            for number, row in enumerate(rows, start=1):
                pattern = forms.alone(form, row)
                if not any(forms.finds(form, pattern, text) for text in texts):
                    yield f"data/forms/{forms.file}.toml {form}, row {number} finds nothing"


def main(argv: Sequence[str] | None = None) -> int:
    """Play spent sources and print what of the engine was idle."""
    counts = Counts()
    if not any(name.partition(".")[0] == PACKAGE for name in sys.modules):
        sys.meta_path.insert(0, Finder(counts))
    from exaim_core.text.boundaries import sentences
    from lab.evaluation.discussions import read
    from lab.evaluation.habits import SPENT, files
    from lab.evaluation.regression import played

    parser = argparse.ArgumentParser(prog="python -m lab.evaluation.idle", description=main.__doc__)
    parser.add_argument("--splits", nargs="*", default=SPENT, choices=SPENT)
    parser.add_argument("--traces", type=Path, help="a folder of recorded traces")
    parser.add_argument("--few", type=int, default=0, help="of so many sets at most")
    options = parser.parse_args(argv)
    sources = 0
    for split in [*options.splits, CASES]:
        counts.playing = split
        splits, cases = ([], True) if split == CASES else ([split], False)
        sources += sum(1 for _ in played(splits, options.traces if cases else None, cases=cases))
    turns = [text for split in options.splits for path in files(split) for _, text in read(path).turns]
    texts = [each for turn in turns for each in sentences(turn)]
    found = [*counts.idle(), *counts.few(options.few), *idle_rows(texts)]
    sys.stdout.writelines(f"{line}\n" for line in found)
    sys.stdout.write(f"{sources} sources, {len(texts)} sentences, {len(found)} are idle\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
