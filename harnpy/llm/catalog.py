"""Reads the model catalog: aliases and model rows of ``catalog.toml`` (llm 11)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Row = dict[str, Any]


class Catalog:
    """Aliases, model rows and tier defaults; ids are found in any case."""

    __slots__ = ("_folded", "aliases", "models", "version")

    def __init__(self, data: dict[str, Any]) -> None:
        self.version: str = data["catalog_version"]
        self.aliases: dict[str, dict[str, str]] = data["aliases"]
        self.models: dict[str, Row] = {row_id: {"id": row_id, **row} for row_id, row in data["models"].items()}
        self._folded = {row_id.lower(): row for row_id, row in self.models.items()}

    def alias(self, selector: str) -> dict[str, str] | None:
        """Give ``{id, provider}`` of an alias, or ``None``."""
        return self.aliases.get(selector)

    def model(self, model_id: str) -> Row | None:
        """Give the row of a model id, or ``None``."""
        return self._folded.get(model_id.lower())

    def prices(self, model_id: str) -> Row | None:
        """Give the prices per million tokens of a model, or ``None``."""
        row = self.model(model_id)
        pricing: Row | None = None if row is None else row.get("pricing")
        return pricing


_loaded: list[Catalog] = []


def catalog() -> Catalog:
    """Give the built-in catalog; it is read once."""
    if not _loaded:
        import tomllib

        from harnpy.resources import package_file

        with open(package_file("llm", "catalog.toml"), "rb") as file:
            _loaded.append(Catalog(tomllib.load(file)))
    return _loaded[0]
