"""Reads catalog overlays and checks every entry; a bad one is an error with file, line and key (llm 11.1)."""

from __future__ import annotations

import os

from harnpy.edit_distance import edit_distance
from harnpy.errors import thrown_text
from harnpy.llm.capability import capability_fault
from harnpy.llm.catalog import built_in
from harnpy.llm.json_values import INT_MAX
from harnpy.llm.kinds import kind_of
from harnpy.llm.options import ACCEPTED, fault_of
from harnpy.llm.spelling import close_to, near_miss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping
    from typing import Any

    from harnpy.errors import HarnError

    Row = dict[str, Any]
    # Gives what is wrong with a value, or None.
    Rule = Callable[[Any], str | None]

_NOT_IN_NAMES = ' "(),/:;<=>?@[\\]{}'
_USER_FILE = ".config/harn/providers.toml"


def _is(words: str, *kinds: type) -> Rule:
    return lambda value: None if type(value) in kinds else f"expected {words}, got {kind_of(value)}"


def _names(value: Any) -> str | None:
    good = type(value) is str or (type(value) is list and all(type(item) is str for item in value))
    return None if good else f"expected a string or a list of strings, got {kind_of(value)}"


def _names_only(value: Any) -> str | None:
    good = type(value) is list and all(type(item) is str for item in value)
    return None if good else f"expected a list of strings, got {kind_of(value)}"


def _price(value: Any) -> str | None:
    if type(value) not in (int, float):
        return f"expected a non-negative number, got {kind_of(value)}"
    return None if 0 <= value < float("inf") else f"expected a non-negative number, got {value}"


def _size(value: Any) -> str | None:
    return None if type(value) is int and 0 < value <= INT_MAX else "expected a positive integer"


def _one_of(*words: str) -> Rule:
    listed = ", ".join(words)
    return lambda value: None if value in words else f"expected one of {listed}, got {value!r}"


_text, _flag, _table, _array = _is("a string", str), _is("a bool", bool), _is("a table", dict), _is("an array", list)
_tier = _one_of("small", "mid", "frontier")
_dialect = _one_of("openai_chat", "openai_responses", "anthropic", "gemini", "ollama")


def _tables(value: Any) -> str | None:
    good = type(value) is list and all(type(item) is dict for item in value)
    return None if good else f"expected an array of tables, got {kind_of(value)}"


def _headers(value: Any) -> str | None:
    detail = _table(value)
    if detail is not None:
        return detail
    for name, text in value.items():
        if not name or not name.isascii() or any(char in _NOT_IN_NAMES or not char.isprintable() for char in name):
            return f"`{name}` cannot be the name of a header"
        if type(text) is not str:
            return f"`{name}`: {_text(text)}"
        if not text.isascii() or not text.replace("\t", " ").isprintable():
            return f"`{name}`: HTTP does not allow all of its characters"
    return None


def _date(value: Any) -> str | None:
    from datetime import date

    try:
        good = type(value) is str and date.fromisoformat(value).isoformat() == value
    except ValueError:
        good = False
    return None if good else f'expected a date like "2026-09-01", got {value!r}'


PROVIDER_KEYS: dict[str, Rule] = {
    "display_name": _text, "icon": _text, "base_url": _text, "base_url_env": _text,
    "auth_style": _one_of("header", "bearer", "none"), "auth_header": _text, "auth_env": _names,
    "extra_headers": _headers, "chat_endpoint": _text, "completion_endpoint": _text, "healthcheck": _table,
    "features": _array, "fallback": _text, "rpm": _size, "cost_per_1k_in": _price, "cost_per_1k_out": _price,
    "latency_p50_ms": _price, "api_dialect": _dialect,
}  # fmt: skip
# Further fields of a model row are kept as they are, if they are no slips of these.
_MODEL_KEYS: dict[str, Rule] = {
    "name": _text, "provider": _text, "context_window": _size, "runtime_context_window": _size,
    "max_output_tokens": _size, "pricing": _table, "tier": _tier, "deprecated": _flag,
    "strengths": _names_only, "family": _text, "lineage": _text, "equivalence_group": _text, "wire_model": _text,
    "complementary_with": _names_only, "avoid_as_reviewer_for": _names_only, "quality_tags": _names_only,
    "availability": _one_of("serverless", "dedicated", "unknown"), "api_dialect": _dialect,
    "price_changes": _tables, "serving_tiers": _tables, "rate_limits": _table,
}  # fmt: skip
_MORE_MODEL_KEYS = (
    "id", "capabilities", "open_weight", "benchmarks", "deprecation_note", "superseded_by", "sunset_date",
    "logical_model", "served_variant", "stream_timeout", "performance", "architecture",
)  # fmt: skip
_PRICES = ("input_per_mtok", "output_per_mtok", "cache_read_per_mtok", "cache_write_per_mtok")
_PRICING_KEYS: dict[str, Rule] = {**dict.fromkeys(_PRICES, _price), "input_token_bands": _array}
_CHANGE_KEYS: dict[str, Rule] = {"from": _date, **dict.fromkeys(_PRICES, _price)}
_TIER_KEYS: dict[str, Rule] = {
    "name": _text, "wire_model": _text, "body": _table, "beta": _text, "served_as": _text, "pricing": _table,
}  # fmt: skip
_TOP = (
    "catalog_version", "default_provider", "providers", "aliases", "models", "patch", "suppress", "inference_rules",
    "model_ladders", "tier_defaults", "tier_rules", "model_defaults", "qc_defaults", "provider_defaults", "model_roles",
    "provider",
)  # fmt: skip


class _Overlay:
    """One overlay while it is checked: where it stands, for errors, and its data."""

    def __init__(self, path: str, text: str, data: Row, prefix: tuple[str, ...] = ()) -> None:
        self.path = path
        self.text = text
        self.data = data
        self.prefix = prefix

    def fault(self, key: tuple[str, ...], detail: str) -> HarnError:
        """Make the error of one key."""
        full = (*self.prefix, *key)
        name = ".".join(part if part.replace("_", "").replace("-", "").isalnum() else f'"{part}"' for part in full)
        return thrown_text(f"{self.path}:{line_of(self.text, full)}: catalog key `{name}`: {detail}")

    def check(self) -> None:
        """Refuse the first entry that cannot be used."""
        for key in sorted(self.data):
            if key not in _TOP:
                close = next((name for name in _TOP if edit_distance(key, name) <= 2), None)
                raise self.fault((key,), "unknown key" + (f"; did you mean `{close}`?" if close else ""))
        for name, row in self.tables("providers"):
            self.fields(("providers", name), row, PROVIDER_KEYS, closed=True)
        for table in (("models",), ("patch", "models")):
            for name, row in self.tables(*table):
                self.model((*table, name), row, complete=table == ("models",))
        for name, row in self.tables("aliases"):
            self.needed(("aliases", name), row, ("id", "provider"))
        for name, row in self.tables("model_ladders"):
            self.ladder(("model_ladders", name), row)
        for name, row in self.tables("model_roles"):
            self.needed(("model_roles", name), row, ("model",))
            for key, value in row.items():
                detail = fault_of(key, value) if key in ACCEPTED else f"unknown option{close_to(key, ACCEPTED)}"
                if detail is not None:
                    raise self.fault(("model_roles", name, key), detail)
        for name, row in self.tables("provider_defaults"):
            self.fields(("provider_defaults", name), row, {"runtime": _text, "portal": _text})
        for name, row in self.tables("model_defaults"):
            self.meant(("model_defaults", name), row, ACCEPTED)
            self.fields(("model_defaults", name), row, {key: ACCEPTED[key] for key in row if key in ACCEPTED})
        self.plain()
        self.capability_rows()
        self.rules("inference_rules", "provider")
        self.rules("tier_rules", "tier")

    def patches(self, known: Container[str]) -> None:
        """Refuse a patch of a model that nobody knows."""
        for name, _ in self.tables("patch", "models"):
            if name not in known:
                raise self.fault(("patch", "models", name), "there is no such model to patch")

    def plain(self) -> None:
        """Check what is no table of tables."""
        for name in ("catalog_version", "default_provider"):
            self.fields((), {key: value for key, value in self.data.items() if key == name}, {name: _text})
        closed: dict[str, dict[str, Rule]] = {"suppress": {"models": _names_only}, "tier_defaults": {"default": _tier}}
        for name, rules in closed.items():
            table: Any = self.data.get(name, {})
            if type(table) is not dict:
                raise self.fault((name,), f"expected a table, got {kind_of(table)}")
            self.fields((name,), table, rules, closed=True)
        defaults: Any = self.data.get("qc_defaults", {})
        if type(defaults) is not dict:
            raise self.fault(("qc_defaults",), f"expected a table, got {kind_of(defaults)}")
        self.fields(("qc_defaults",), defaults, dict.fromkeys(defaults, _text))

    def tables(self, *key: str) -> list[tuple[str, Row]]:
        """Give name and row of each entry of a table of tables."""
        table: Any = self.data
        for place, part in enumerate(key, 1):
            table = table.get(part, {})
            if type(table) is not dict:
                raise self.fault(key[:place], f"expected a table, got {kind_of(table)}")
        for name, row in table.items():
            if type(row) is not dict:
                raise self.fault((*key, name), f"expected a table, got {kind_of(row)}")
        return list(table.items())

    def fields(self, key: tuple[str, ...], row: Row, rules: dict[str, Rule], *, closed: bool = False) -> None:
        for name, value in row.items():
            rule = rules.get(name)
            detail = rule(value) if rule is not None else "unknown key" if closed else None
            if detail is not None:
                raise self.fault((*key, name), detail)

    def meant(self, key: tuple[str, ...], row: Row, known: Iterable[str]) -> None:
        """Refuse a field that is a slip of a known one, where others may stand beside."""
        for name in row:
            close = near_miss(name, known)
            if close is not None:
                raise self.fault((*key, name), f"unknown key; did you mean `{close}`?")

    def needed(self, key: tuple[str, ...], row: Row, names: tuple[str, ...]) -> None:
        for name in names:
            if name not in row:
                raise self.fault(key, f"`{name}` is required")
            if type(row[name]) is not str or not row[name]:
                raise self.fault((*key, name), "expected a non-empty string")

    def model(self, key: tuple[str, ...], row: Row, *, complete: bool) -> None:
        if complete:
            self.needed(key, row, ("provider",))
        self.fields(key, row, _MODEL_KEYS)
        self.meant(key, row, (*_MODEL_KEYS, *_MORE_MODEL_KEYS))
        pricing = row.get("pricing", {})
        self.fields((*key, "pricing"), pricing, _PRICING_KEYS, closed=True)
        for name in _PRICES[:2] if complete and "pricing" in row else ():
            if name not in pricing:
                raise self.fault((*key, "pricing"), f"`{name}` is required")
        for change in row.get("price_changes", ()):
            self.listed((*key, "price_changes"), change, _CHANGE_KEYS, ("from", *_PRICES[:2]))
        for tier in row.get("serving_tiers", ()):
            self.listed((*key, "serving_tiers"), tier, _TIER_KEYS, ("name", "pricing"))
            self.listed((*key, "serving_tiers"), tier["pricing"], dict.fromkeys(_PRICES, _price), _PRICES[:2])
        self.fields((*key, "rate_limits"), row.get("rate_limits", {}), {"rpm": _size, "tpm": _size}, closed=True)

    def listed(self, key: tuple[str, ...], row: Row, rules: dict[str, Rule], needed: tuple[str, ...]) -> None:
        """Check one table of a list; the key of the list is the nearest place there is."""
        for name in needed:
            if name not in row:
                raise self.fault(key, f"`{name}` is required")
        for name, value in row.items():
            detail = rules[name](value) if name in rules else "unknown key"
            if detail is not None:
                raise self.fault(key, f"`{name}`: {detail}")

    def ladder(self, key: tuple[str, ...], row: Row) -> None:
        steps = row.get("steps")
        if type(steps) is not list or not steps:
            raise self.fault(key, "`steps` must be a list with at least one step")
        for number, step in enumerate(steps):
            if type(step) is not dict or type(step.get("model")) is not str or not step["model"]:
                raise self.fault((*key, "steps"), f"step {number}: `model` is required")

    def capability_rows(self) -> None:
        tables: Any = self.data.get("provider", {})
        if type(tables) is not dict:
            raise self.fault(("provider",), f"expected tables [[provider.NAME]], got {kind_of(tables)}")
        for name, rows in tables.items():
            if type(rows) is not list or any(type(row) is not dict for row in rows):
                raise self.fault(("provider", name), "expected an array of tables")
            for row in rows:
                for key, value in row.items():
                    detail = capability_fault(key, value)
                    if detail is not None:
                        raise self.fault(("provider", name, key), detail)

    def rules(self, name: str, result: str) -> None:
        rules = self.data.get(name, [])
        if type(rules) is not list:
            raise self.fault((name,), f"expected an array of tables, got {kind_of(rules)}")
        for number, rule in enumerate(rules):
            matchers = [key for key in ("pattern", "contains", "exact") if type(rule) is dict and key in rule]
            if len(matchers) != 1 or any(type(rule.get(key)) is not str for key in (*matchers, result)):
                wanted = f"rule {number}: expected exactly one of pattern, contains, exact, and `{result}`"
                raise self.fault((name,), wanted)


def line_of(text: str, key: tuple[str, ...]) -> int:
    """Give the line of a key in a TOML text: its own, or that of the nearest table around it."""
    import tomllib

    table: tuple[str, ...] = ()
    best, best_depth = 1, 0
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        try:
            if stripped.startswith("["):
                table = _path(tomllib.loads(stripped))
                here = table
            elif "=" in stripped and not stripped.startswith("#"):
                here = table + _path(tomllib.loads(stripped.partition("=")[0] + "= 0"))
            else:
                continue
        except tomllib.TOMLDecodeError:
            continue
        depth = len(here)
        if here == key[:depth] and depth > best_depth:
            best, best_depth = number, depth
    return best


def _path(parsed: Row) -> tuple[str, ...]:
    """Give the path of a text that holds one table header or one key."""
    path: list[str] = []
    level: Any = parsed
    while type(level) is dict and len(level) == 1:
        key = next(iter(level))
        path.append(key)
        level = level[key]
        if type(level) is list and level:
            level = level[0]
    return tuple(path)


def _read(path: str) -> tuple[str, Row]:
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read()
    except (OSError, UnicodeError) as error:
        detail = getattr(error, "strerror", None) or error
        raise thrown_text(f"{path}: the catalog file cannot be read: {detail}") from None
    return text, parse(path, text)


def parse(path: str, text: str) -> Row:
    """Parse TOML; an error names file and line."""
    import tomllib

    try:
        data: Row = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        detail, _, place = str(error).partition(" (at ")
        line = "".join(char for char in place.partition(",")[0] if char.isdigit()) or str(text.count("\n") + 1)
        raise thrown_text(f"{path}:{line}: the catalog file is not TOML: {detail}") from None
    except RecursionError:
        raise thrown_text(f"{path}:1: the catalog file is nested too deeply") from None
    return data


def overlays(env: Mapping[str, str], project: str | None) -> list[Row]:
    """Give the checked overlays of a run, the weakest first; ``project`` is the path of its ``harn.toml``.

    Raises:
        HarnError: names file, line and key of the first entry that cannot be used.
    """
    found = []
    named = env.get("HARN_PROVIDERS_CONFIG", "").strip()
    home = env.get("HOME", "").strip()
    user = named or (os.path.join(home, _USER_FILE) if home else "")
    if user and (named or os.path.isfile(user)):
        found.append(_Overlay(user, *_read(user)))
    if project is not None:
        text, data = _read(project)
        section = data.get("llm", {})
        if type(section) is not dict:
            raise thrown_text(f"{project}:{line_of(text, ('llm',))}: catalog key `llm`: expected a table")
        found.append(_Overlay(project, text, section, ("llm",)))
    known = set(built_in().models) if found else set()
    for overlay in found:
        overlay.check()
        known.update(overlay.data.get("models", ()))
        overlay.patches(known)
    return [overlay.data for overlay in found if overlay.data]


def check_layer(name: str, layer: Row) -> None:
    """Check rows that come from a script and not from a file."""
    overlay = _Overlay(name, "", layer)
    overlay.check()
    overlay.patches({*built_in().models, *layer.get("models", ())})


def parse_overlay(name: str, text: str) -> Row:
    """Read and check the text of one overlay."""
    overlay = _Overlay(name, text, parse(name, text))
    overlay.check()
    return overlay.data
