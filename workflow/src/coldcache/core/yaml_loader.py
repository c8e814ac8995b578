"""Load YAML and refuse what hides mistakes: aliases, repeated keys, and numbers that YAML reads differently."""

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml

from coldcache.core.errors import DesignError
from coldcache.core.program_files import list_files
from coldcache.core.vocabulary import nearest

#: A design is written by hand; anything larger is a mistake or an attack.
LARGEST_FILE = 1_000_000


class _Plain(yaml.composer.Composer, yaml.constructor.SafeConstructor):
    """Plain YAML without aliases, which can blow up a small file, and without repeated keys, which hide each other."""

    #: Of the parser.
    check_event: Callable[..., bool]
    peek_event: Callable[[], Any]

    def compose_node(self, parent, index):
        if self.check_event(yaml.AliasEvent):
            raise DesignError(f"line {self.peek_event().start_mark.line + 1}: aliases are not allowed; write it out")
        return super().compose_node(parent, index)

    def construct_mapping(self, node, deep=False):
        lines: dict[str | int, int] = {}
        for child, _ in node.value:
            key, line = self.construct_object(child, deep=True), child.start_mark.line + 1
            if not isinstance(key, str | int):
                raise DesignError(f"line {line}: the key {key!r} is not a name")
            if key in lines:
                raise DesignError(f'line {line}: the key "{key}" appears twice, first in line {lines[key]}')
            lines[key] = line
        return super().construct_mapping(node, deep)

    def construct_object(self, node, deep=False):
        try:
            return super().construct_object(node, deep)
        except (DesignError, yaml.YAMLError, RecursionError):
            raise
        except (ValueError, TypeError, AttributeError, LookupError) as error:
            kind, value = node.tag.rpartition(":")[2], str(node.value)[:40]
            line = node.start_mark.line + 1
            raise DesignError(f'line {line}: "{value}" is no {kind}; put quotes around what is text') from error


class _Loader(_Plain, yaml.SafeLoader):
    """The loader of PyYAML, which has the best error messages."""


class _FastLoader(_Plain, yaml.CSafeLoader):
    """The loader of libyaml, three times as fast; nodes are composed in Python, where aliases can be refused."""

    def __init__(self, stream):
        yaml.CSafeLoader.__init__(self, stream)
        yaml.composer.Composer.__init__(self)


def _construct_int(loader: Any, node: Any) -> int:
    number = loader.construct_yaml_int(node)
    if re.search("_|:|^[-+]?0[0-9]", text := str(node.value)):
        line = node.start_mark.line + 1
        raise DesignError(f'line {line}: YAML reads {text} as {number}; write {number}, or "{text}" if it is text')
    return number


for _loader in (_Loader, _FastLoader):
    _loader.add_constructor("tag:yaml.org,2002:int", _construct_int)


def read_text(path: Path) -> str:
    """Return the text of a YAML file.

    Raises
    ------
    DesignError
        If the file is missing or a folder, too large, or not UTF-8.
    """
    if path.is_dir():
        raise DesignError(f"{path}: is a folder; a file is needed here")
    if not path.is_file():
        known = [other.stem for other in list_files(path.parent, "*.yaml")]
        hint = nearest(path.stem, known) if known else f"{path.parent}/ holds none"
        raise DesignError(f"{path}: there is no such file; {hint}")
    if path.stat().st_size > LARGEST_FILE:
        raise DesignError(f"{path}: larger than {LARGEST_FILE:,} bytes, which no design is")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise DesignError(f"{path}: not UTF-8 text at byte {error.start}") from error


def parse_yaml(path: Path, text: str) -> Any:
    """Return what the text of a YAML file holds; messages name its path.

    Raises
    ------
    DesignError
        If it is not YAML, or holds an alias or a repeated key.
    """
    try:
        with suppress(yaml.YAMLError):
            return yaml.load(text, _FastLoader)
        return yaml.load(text, _Loader)
    except DesignError as error:
        raise DesignError(f"{path}, {error}") from error
    except RecursionError as error:
        raise DesignError(f"{path}: not YAML: nested too deeply") from error
    except yaml.reader.ReaderError as error:
        raise DesignError(f"{path}: not YAML: {error.reason} at character {error.position}") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        raise DesignError(f"{path}{where}: not YAML: {getattr(error, 'problem', error)}") from error


def compose(text: str) -> Any:
    """Return the nodes of a text that `parse_yaml` takes; each of its loaders takes some that the other refuses."""
    with suppress(yaml.YAMLError):
        return yaml.compose(text, _FastLoader)
    return yaml.compose(text, _Loader)
