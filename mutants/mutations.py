"""Small changes to a module's code, each of which a test should notice."""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.Mod: ast.Mult,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module with one change.

    Attributes
    ----------
    module : str
        Its full name.
    function : str
        The function or class that is changed, with its surroundings: ``Estimates.peak``; ``module`` outside of any.
    line : int
        Where the change is.
    before, after : str
        The piece of code as it was and as it is.
    number : int
        Which change of its module this is.
    """

    module: str
    function: str
    line: int
    before: str
    after: str
    number: int

    @property
    def key(self) -> str:
        """The change without its line, which other changes of the file move."""
        return f"{self.module.removeprefix('coldcache.')}:{self.function}: {self.before} -> {self.after}"


def list_mutants(module: str, source: str) -> list[Mutant]:
    """Return every change of a module in the order of its code."""
    tree = ast.parse(source)
    return [
        Mutant(module, function, node.lineno, _unparse(node), _unparse(changed), number)
        for number, (node, changed, function) in enumerate(_list_changes(tree))
    ]


def apply_change(source: str, number: int) -> ast.Module:
    """Return the tree of a module with one of its changes made."""
    tree = ast.parse(source)
    node, changed, _ = list(_list_changes(tree))[number]

    class Change(ast.NodeTransformer):
        def visit(self, found: ast.AST) -> ast.AST:
            return changed if found is node else super().visit(found)

    return ast.fix_missing_locations(Change().visit(tree))


def _unparse(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())[:160]


def _list_changes(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.AST, str]]:
    """Yield a node, what replaces it, and the function around it; annotations and docstrings are left alone."""
    yield from _changes_in(tree, "module")


def _changes_in(node: ast.AST, function: str) -> Iterator[tuple[ast.AST, ast.AST, str]]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        function = node.name if function == "module" else f"{function}.{node.name}"
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_comment", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or _is_text_alone(child) or _is_typing(child):
                continue
            yield from ((child, changed, function) for changed in _change(child, isinstance(node, ast.JoinedStr)))
            yield from _changes_in(child, function)


def _is_text_alone(node: ast.AST) -> bool:
    """Return whether a statement is a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_typing(node: ast.AST) -> bool:
    return isinstance(node, (ast.Import, ast.ImportFrom))


def _change(node: ast.AST, is_part_of_text: bool) -> Iterator[ast.AST]:
    """Yield the changes of one node."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARED:
        yield _with(node, ops=[_COMPARED[type(node.ops[0])]()])
    elif isinstance(node, ast.BinOp) and type(node.op) in _COMPUTED:
        yield _with(node, op=_COMPUTED[type(node.op)]())
    elif isinstance(node, ast.BoolOp):
        yield _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub, ast.Invert)):
        yield node.operand
    elif isinstance(node, ast.If):
        yield _with(node, test=ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, ast.IfExp):
        yield _with(node, body=node.orelse, orelse=node.body)
    elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
        yield _with(node, value=ast.Constant(None))
    elif isinstance(node, ast.Constant):
        yield from _change_constant(node, is_part_of_text)


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _change_constant(node: ast.Constant, is_part_of_text: bool) -> Iterator[ast.AST]:
    if isinstance(node.value, bool):
        yield _with(node, value=not node.value)
    elif isinstance(node.value, (int, float)):
        yield _with(node, value=node.value + 1)
    elif isinstance(node.value, str) and (node.value.strip() or not is_part_of_text):
        yield _with(node, value=f"{node.value}X")


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed
