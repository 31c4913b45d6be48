"""The models, aliases, providers and ladders that one run knows: the built-in rows and overlays on them (llm 11)."""

from __future__ import annotations

from harnpy.llm.data_files import data_file
from harnpy.llm.glob import fits
from harnpy.llm.providers.table import PROVIDERS, Provider

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    Row = dict[str, Any]

# Tables of which a later row replaces an earlier one by its key.
_KEYED = ("aliases", "models", "model_ladders", "model_defaults", "qc_defaults", "provider_defaults", "model_roles")
# Lists of which later files come first, because the first rule that fits wins.
_RULES = ("inference_rules", "tier_rules")


class Catalog:
    """What is known about models; ids are found in any case. Never changed after it was built."""

    def __init__(self, layers: Iterable[Row]) -> None:
        self.version = ""
        self.default_provider = ""
        self.default_tier = "mid"
        self.keyed: dict[str, Row] = {name: {} for name in _KEYED}
        self.rules: dict[str, list[Row]] = {name: [] for name in _RULES}
        self.providers: dict[str, Provider] = dict(PROVIDERS)
        self.provider_rows: dict[str, Row] = {}
        self.capability_rules: dict[str, list[Row]] = {}
        self.per_1k: dict[tuple[str, str, str], dict[str, float] | None] = {}
        self.capability_rows: dict[tuple[str, str], Row | None] = {}
        for layer in layers:
            self._add(layer)
        self.models: dict[str, Row] = {row_id: _complete(row_id, row) for row_id, row in self.keyed["models"].items()}
        self.aliases: dict[str, Row] = self.keyed["aliases"]
        self._folded = {row_id.lower(): row for row_id, row in self.models.items()}
        self._now_ms: Callable[[], int] | None = None

    def of_run(self, now_ms: Callable[[], int]) -> Catalog:
        """Give the same catalog with the prices of the day that the clock of a run shows."""
        own = object.__new__(Catalog)
        own.__dict__.update(self.__dict__, per_1k={}, _now_ms=now_ms)
        return own

    def day(self) -> str:
        """Give the day whose prices hold, as ``YYYY-MM-DD``; without a clock the first one."""
        if self._now_ms is None:
            return ""
        from time import gmtime

        date = gmtime(self._now_ms() / 1000)
        return f"{date.tm_year:04}-{date.tm_mon:02}-{date.tm_mday:02}"

    def pricing(self, row: Row) -> Row | None:
        """Give the prices of a model row that hold now, ``None`` when they are not known."""
        prices: Row | None = row.get("pricing")
        changes = row.get("price_changes")
        if prices is None or not changes:
            return prices
        day = self.day()
        past = [change for change in changes if change["from"] <= day]
        if not past:
            return prices
        latest: Row = max(past, key=lambda change: str(change["from"]))
        return {key: value for key, value in latest.items() if key != "from"}

    def current(self, row: Row) -> Row:
        """Give a copy of a model row whose ``pricing`` holds now."""
        return {**row, "pricing": self.pricing(row)} if row.get("price_changes") else dict(row)

    def _add(self, layer: Row) -> None:
        self.version = layer.get("catalog_version", self.version)
        self.default_provider = layer.get("default_provider", self.default_provider)
        self.default_tier = layer.get("tier_defaults", {}).get("default", self.default_tier)
        for name, rows in self.keyed.items():
            rows.update(layer.get(name, {}))
        for name, rules in self.rules.items():
            rules[:0] = layer.get(name, [])
        for name, row in layer.get("providers", {}).items():
            self.provider_rows[name] = {**self.provider_rows.get(name, {}), **row}
            self.providers[name] = provider_of(name, row, self.providers.get(name))
        for name, rows in layer.get("provider", {}).items():
            self.capability_rules.setdefault(name, [])[:0] = rows
        self._patch(layer.get("patch", {}).get("models", {}))
        for model_id in layer.get("suppress", {}).get("models", ()):
            self.keyed["models"].pop(model_id, None)

    def _patch(self, patches: Row) -> None:
        models = self.keyed["models"]
        for model_id, fields in patches.items():
            old = models.get(model_id, {})
            merged = {**old, **fields}
            if type(old.get("pricing")) is dict and type(fields.get("pricing")) is dict:
                merged["pricing"] = {**old["pricing"], **fields["pricing"]}
                if "price_changes" in old and "price_changes" not in fields:
                    # What the patch says about a price holds at all times.
                    merged["price_changes"] = [{**change, **fields["pricing"]} for change in old["price_changes"]]
            models[model_id] = merged

    def alias(self, selector: str) -> Row | None:
        """Give ``{id, provider, ...}`` of an alias, or ``None``."""
        return self.aliases.get(selector)

    def model(self, model_id: str) -> Row | None:
        """Give the row of a model id, or ``None``."""
        return self._folded.get(model_id.lower())

    def provider_by_rule(self, model_id: str) -> str | None:
        """Give the provider that an inference rule of an overlay names for a model id."""
        return next((str(rule["provider"]) for rule in self.rules["inference_rules"] if _applies(rule, model_id)), None)

    def tier(self, model_id: str) -> str:
        """Give the tier of a model: its row, else a tier rule, else the default tier."""
        row = self.model(model_id)
        if row is not None and row.get("tier"):
            return str(row["tier"])
        rules = self.rules["tier_rules"]
        return next((str(rule["tier"]) for rule in rules if _applies(rule, model_id)), self.default_tier)

    def defaults(self, model_id: str) -> Row:
        """Give the default options of a model: those of all globs that fit, later ones winning."""
        found: Row = {}
        for glob, params in self.keyed["model_defaults"].items():
            if fits(glob.lower(), model_id.lower()):
                found.update(params)
        return found

    def ladder(self, name: str) -> Row | None:
        """Give ``{label?, steps}`` of a named ladder, or ``None``."""
        return self.keyed["model_ladders"].get(name)

    def equivalents(self, model_id: str) -> list[Row]:
        """Give the rows of the same equivalence group, the model's own first; without a group none."""
        own = self.model(model_id)
        group = None if own is None else own.get("equivalence_group")
        if own is None or group is None:
            return []
        others = [row for row in self.models.values() if row.get("equivalence_group") == group and row is not own]
        return [own, *others]


def _complete(row_id: str, row: Row) -> Row:
    """Give a model row with its id; half a price is no price."""
    pricing = row.get("pricing")
    if pricing is not None and not ("input_per_mtok" in pricing and "output_per_mtok" in pricing):
        row = {key: value for key, value in row.items() if key != "pricing"}
    return {**row, "id": row_id}


def _applies(rule: Row, model_id: str) -> bool:
    name = model_id.lower()
    if "exact" in rule:
        return bool(rule["exact"].lower() == name)
    if "contains" in rule:
        return rule["contains"].lower() in name
    return fits(rule.get("pattern", "").lower(), name)


def provider_of(name: str, row: Row, known: Provider | None) -> Provider:
    """Give the provider of an overlay row; what the row leaves out stays as it was for a known name."""
    names = row.get("auth_env", () if known is None else known.key_env)
    key_env = (names,) if type(names) is str else tuple(names)
    own_base = "base_url" in row or "base_url_env" in row or known is None
    provider = Provider(
        name,
        row.get("base_url", "" if known is None else known.base_url),
        base_env=row.get("base_url_env", "") if own_base or known is None else known.base_env,
        key_env=key_env,
        auth=_auth(row, known),
        path=row.get("chat_endpoint", "/chat/completions" if known is None else known.path),
        dialect=row.get("api_dialect", "openai_chat" if known is None else known.dialect),
        default_model="" if known is None else known.default_model,
    )
    if own_base and "base_url_env" not in row:
        provider.base_env = ""
    provider.extra_headers = dict(row.get("extra_headers", {} if known is None else known.extra_headers))
    return provider


def _auth(row: Row, known: Provider | None) -> str:
    style = row.get("auth_style")
    if style == "header" or (style is None and "auth_header" in row):
        return str(row.get("auth_header", "x-api-key"))
    if style is not None:
        return str(style)
    return "bearer" if known is None or known.auth == "none" else known.auth


_built_in: list[Catalog] = []


def built_in_layer() -> Row:
    """Give the rows of the built-in catalog."""
    return data_file("catalog.toml")


def built_in() -> Catalog:
    """Give the catalog without overlays; it is read once."""
    if not _built_in:
        _built_in.append(Catalog([built_in_layer()]))
    return _built_in[0]


def known_providers(catalog: Catalog) -> str:
    """List the names of all providers for a message."""
    return ", ".join(sorted(catalog.providers))
