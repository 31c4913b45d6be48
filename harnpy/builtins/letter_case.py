"""Conversions between snake_case, kebab-case, camelCase and PascalCase (builtins 1.5)."""

from __future__ import annotations

from harnpy.builtins.arguments import text as as_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _words(text: str, separator: str) -> list[str]:
    return [word for word in text.split(separator) if word]


def _camel_words(text: str) -> list[str]:
    """Split before an upper letter after a lower one or a digit, and before the last of an acronym."""
    words = []
    start = 0
    for index in range(1, len(text)):
        character, before, after = text[index], text[index - 1], text[index + 1 : index + 2]
        if character.isupper() and (before.islower() or before.isdigit() or (before.isupper() and after.islower())):
            words.append(text[start:index])
            start = index
    words.append(text[start:])
    return [word.lower() for word in words if word]


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:].lower()


def _pascal(words: list[str]) -> str:
    return "".join([_capital(word) for word in words])


def _camel(words: list[str]) -> str:
    return words[0].lower() + _pascal(words[1:]) if words else ""


def snake_to_camel(text: Any = "") -> str:
    """``my_name`` to ``myName``."""
    return _camel(_words(as_text(text), "_"))


def snake_to_pascal(text: Any = "") -> str:
    """``my_name`` to ``MyName``."""
    return _pascal(_words(as_text(text), "_"))


def snake_to_kebab(text: Any = "") -> str:
    """``my_name`` to ``my-name``."""
    return "-".join(_words(as_text(text), "_"))


def kebab_to_camel(text: Any = "") -> str:
    """``my-name`` to ``myName``."""
    return _camel(_words(as_text(text), "-"))


def kebab_to_snake(text: Any = "") -> str:
    """``my-name`` to ``my_name``."""
    return "_".join(_words(as_text(text), "-"))


def camel_to_snake(text: Any = "") -> str:
    """``myName`` to ``my_name``."""
    return "_".join(_camel_words(as_text(text)))


def camel_to_kebab(text: Any = "") -> str:
    """``myName`` to ``my-name``."""
    return "-".join(_camel_words(as_text(text)))


def camel_to_pascal(text: Any = "") -> str:
    """``myName`` to ``MyName``."""
    source = as_text(text)
    return source[:1].upper() + source[1:]


def pascal_to_snake(text: Any = "") -> str:
    """``MyName`` to ``my_name``."""
    return "_".join(_camel_words(as_text(text)))


def pascal_to_camel(text: Any = "") -> str:
    """``MyName`` to ``myName``."""
    source = as_text(text)
    return source[:1].lower() + source[1:]
