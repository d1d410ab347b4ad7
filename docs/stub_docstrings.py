"""From the words of docstrings, from values and from the bodies of functions to types."""
import ast
import re

import cygrad
from cygrad.ops.declare.docstrings import entries_of, sections_of
from stub_types_by_name import PHRASES, PLURALS, RESULT_WORDS, WORDS

GENERIC = {"Dataset", "IterableDataset", "ConcatDataset", "Subset", "Sampler", "DataLoader"}
BUILTINS = ("int", "float", "bool", "complex", "str", "type", "bytes", "object", "list", "dict", "set", "tuple")


class Types:
    """From the words of docstrings to types."""

    def __init__(self, classes):
        self.classes = classes

    def of_phrase(self, phrase, result=False, name=""):
        """The type that a line of a docstring tells; None if it tells none."""
        text = re.sub(r"(^|, ?)(optional|default .*)$", "", phrase.strip().rstrip("."))
        known = PHRASES.get(f"{name} : {text}") or PHRASES.get(text)
        if known or not text:
            return known
        if text.startswith("{"):
            return "str" if re.fullmatch(r'\{("\w+"(, )?)+\}', text) else "Any"
        several = re.fullmatch(r"(list|tuple|sequence) of (.+) or None", text)
        if several:
            inner = self.of_phrase(several[2], result)
            return PLURALS[several[1]][result].format(inner if result else f"{inner} | None") if inner else None
        if re.match(r"(dict|mapping) of \w+ to (?!.*, or )", text):
            return self.of_word(text, result)
        parts = [self.of_word(part, result) for part in re.split(r",? or |, ", text)]
        if None in parts:
            return None
        return " | ".join(dict.fromkeys(sorted(parts, key="None".__eq__))) if "Any" not in parts else "Any"

    def of_word(self, word, result):
        """The type of a phrase without alternatives."""
        word = re.sub(r"^(an?|the|nn\.) ?", "", word.strip().strip("`"))
        if result and word in RESULT_WORDS:
            return RESULT_WORDS[word]
        if word in WORDS:
            return WORDS[word]
        if word in self.classes or word == "Tensor":
            return f"{word}[Any]" if word in GENERIC else word
        kind, of, rest = word.partition(" of ")
        if of and kind in PLURALS:
            inner = self.of_phrase(rest, result) or self.of_phrase(rest.removesuffix("s"), result)
            return PLURALS[kind][result].format(inner) if inner else None
        if of and kind in ("dict", "mapping"):
            key, to, value = rest.partition(" to ")
            found = self.of_phrase(value, result) if to else self.of_phrase(rest, result)
            outer = "dict" if result and kind == "dict" else "Mapping"      # which takes dicts of narrower values
            return f"{outer}[{WORDS.get(key, 'Any') if to else 'str'}, {found or 'Any'}]"
        return None

    def of_entries(self, text, section, result=False):
        """{name: type} of a section of a docstring that lists names."""
        found = {}
        for names, rest in entries_of(sections_of(text).get(section)):
            phrase = rest.partition("\n")[0]
            for name in names:
                kind = self.of_phrase(phrase, result, name)
                if kind and name.lstrip("*").isidentifier():
                    found[name.lstrip("*")] = kind
        return found

    def of_result(self, text):
        """(type, whether it is of what is yielded) that a docstring's section tells; None if there is none."""
        sections = sections_of(text)
        for title in ("Returns", "Yields"):
            if title in sections:
                lines = [line for line in sections[title].splitlines() if line and not line[0].isspace()]
                if len(lines) > 1 or " : " in lines[0]:
                    kinds = [(line.partition(" : ")[2] or "?", line.partition(" : ")[0].count(",") + 1)
                             for line in lines]
                    kinds = [self.of_phrase(kind, True) or "Any" for kind, count in kinds for _ in range(count)]
                    found = kinds[0] if len(kinds) == 1 else f"tuple[{', '.join(kinds)}]"
                else:
                    found = self.of_phrase(lines[0], True) or "Any"
                return found, title == "Yields"
        return None


def of_value(value):
    """The type of a constant."""
    for kind in (bool, int, float, complex, str, bytes):
        if type(value) is kind:
            return kind.__name__
    if isinstance(value, cygrad.dtype):
        return "_dtype"
    if isinstance(value, cygrad.Tensor):
        return "Tensor"
    if isinstance(value, (tuple, list, frozenset, set)):
        inner = {of_value(each) for each in value}
        kind = inner.pop() if len(inner) == 1 else "Any"
        return f"tuple[{kind}, ...]" if isinstance(value, tuple) else f"{type(value).__name__}[{kind}]"
    return "dict[str, Any]" if isinstance(value, dict) else "Any"


def returned(node):
    """What the body of a function says of its result: a type, or None."""
    own, yields = [], False
    stack = list(node.body)
    while stack:
        each = stack.pop()
        if isinstance(each, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        yields |= isinstance(each, (ast.Yield, ast.YieldFrom))
        if isinstance(each, ast.Return):
            own.append(each.value)
        stack += list(ast.iter_child_nodes(each))
    if yields:
        return "Iterator[Any]"
    values = [value for value in own if value is not None and not (isinstance(value, ast.Constant)
                                                                   and value.value is None)]
    if not values:
        raising = isinstance(node.body[-1], ast.Raise) and not own
        return None if raising else "None"
    if all(isinstance(value, ast.Name) and value.id == "self" for value in values):
        return "Self"
    kinds = {type(value.value).__name__ if isinstance(value, ast.Constant) else
             "str" if isinstance(value, ast.JoinedStr) else
             "bool" if isinstance(value, ast.Compare) else None for value in values}
    kind = kinds.pop() if len(kinds) == 1 else None
    return kind if kind in BUILTINS and len(values) == len(own) else None
