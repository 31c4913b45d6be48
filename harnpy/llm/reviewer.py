"""Finds a reviewer for the work of a model: another family, fit for the task, at a bearable price (llm 11.8)."""

from __future__ import annotations

from harnpy.errors import thrown_text
from harnpy.llm.capability import capabilities_of
from harnpy.llm.kinds import kind_of
from harnpy.llm.models import model_info
from harnpy.llm.spelling import slip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnpy.errors import HarnError
    from harnpy.llm.catalog import Catalog

    Dict = dict[str, Any]

_STRENGTHS = {
    "review": ("reasoning", "coding", "tool_use"),
    "critique": ("reasoning", "long_context", "tool_use"),
    "plan_review": ("reasoning", "coding", "agentic", "long_context", "tool_use"),
}
_OPTIONS = ("author_model", "author_provider", "intent", "max_price_multiplier", "model")
_TIERS = {"small": 0, "mid": 1, "frontier": 2}
_TIER_SCORES = (80, 45, 15)


def _fault(text: str) -> HarnError:
    return thrown_text(f"llm_complementary_reviewer: {text}")


def complementary_reviewer(options: Any, env: Mapping[str, str], catalog: Catalog) -> Dict:
    """Choose a reviewer; without one the author reviews, and ``fallback`` says why."""
    if type(options) is not dict:
        raise _fault("options must be a dict")
    wrong = slip(options, _OPTIONS)
    if wrong is not None:
        raise _fault(wrong)
    selector = options.get("author_model", options.get("model"))
    if type(selector) is not str or not selector.strip():
        raise _fault("options.author_model is required")
    intent = options.get("intent") or "review"
    if intent not in _STRENGTHS:
        raise _fault("intent must be review, critique, or plan_review")
    multiplier = _multiplier(options.get("max_price_multiplier"))
    author = _side(model_info(selector.strip(), env, catalog), catalog)
    given = options.get("author_provider")
    if type(given) is str and given.strip():
        author["provider"] = given.strip()
    search = _Search(catalog, author, str(intent), multiplier)
    return _result(author, str(intent), search)


def _multiplier(value: Any) -> float | None:
    if value is None:
        return None
    if type(value) not in (int, float):
        raise _fault(f"max_price_multiplier must be numeric, got {kind_of(value)}")
    if not value > 0:
        raise _fault("max_price_multiplier must be positive")
    return float(value)


def _side(info: Dict, catalog: Catalog) -> Dict:
    side = {key: info[key] for key in ("id", "provider", "family", "lineage", "tier")}
    pricing = (info["catalog"] or {}).get("pricing")
    return side if pricing is None else {**side, "pricing": pricing}


def _price(side: Dict) -> Any:
    """Give the exact total price per million tokens, in and out, or ``None``."""
    from decimal import Decimal

    pricing = side.get("pricing")
    if pricing is None:
        return None
    return Decimal(str(pricing["input_per_mtok"])) + Decimal(str(pricing["output_per_mtok"]))


class _Search:
    """The candidates for one author, best first, and why others were left out."""

    def __init__(self, catalog: Catalog, author: Dict, intent: str, multiplier: float | None) -> None:
        self._author = author
        self._author_row = catalog.model(author["id"]) or {}
        self._strengths = _STRENGTHS[intent]
        self._limit: Any = None
        price = _price(author)
        if multiplier is not None and price is not None:
            from decimal import Decimal

            self._limit = price * Decimal(str(multiplier))
        self.other_families = self.serverless = 0
        ranked = [
            (-self._score(row, side, catalog), side["provider"], side["id"], side)
            for row, side in ((row, _row_side(row, catalog)) for row in catalog.models.values())
            if self._is_eligible(row, side)
        ]
        self.best = min(ranked, key=lambda entry: entry[:3])[3] if ranked else None

    def _is_eligible(self, row: Dict, side: Dict) -> bool:
        author = self._author
        if "unknown" in (author["family"], side["family"]) or side["family"] == author["family"]:
            return False
        if side["id"] == author["id"] or row.get("deprecated") or row.get("availability") != "serverless":
            return False
        self.serverless += 1
        if "avoid_reviewer" in row.get("quality_tags", ()) or author["id"] in row.get("avoid_as_reviewer_for", ()):
            return False
        self.other_families += 1
        price = _price(side)
        return self._limit is None or (price is not None and price <= self._limit)

    def _score(self, row: Dict, side: Dict, catalog: Catalog) -> float:
        preferred = list(self._author_row.get("complementary_with", ()))
        score = float(1000 - preferred.index(side["id"])) if side["id"] in preferred else 0.0
        score += 80 if side["provider"] != self._author["provider"] else 0
        distance = abs(_TIERS.get(side["tier"], 1) - _TIERS.get(self._author["tier"], 1))
        score += _TIER_SCORES[distance]
        score += 8 * sum(strength in self._strengths for strength in row.get("strengths", ()))
        score += 4 if capabilities_of(side["provider"], side["id"], catalog.capability_rules)["native_tools"] else 0
        price, own = _price(side), _price(self._author)
        if price is None or not own:
            return score
        ratio = float(price / own)
        return score + 20 if ratio <= 1 else score - 8 * min(ratio - 1, 10)


def _row_side(row: Dict, catalog: Catalog) -> Dict:
    from harnpy.llm.models import family_of, lineage_of

    family = family_of(row["id"], row["provider"], catalog)
    side = {"id": row["id"], "provider": row["provider"], "family": family, "tier": catalog.tier(row["id"])}
    side["lineage"] = lineage_of(row["id"], family, catalog)
    pricing = catalog.pricing(row)
    return side if pricing is None else {**side, "pricing": pricing}


def _result(author: Dict, intent: str, search: _Search) -> Dict:
    reviewer = search.best
    result: Dict = {"intent": intent, "author": author, "fallback": reviewer is None, "fallback_reason": None}
    if reviewer is None:
        code, why = _why(author, search)
        reason = f"using author model {author['id']} because {why}"
        result.update(fallback_reason=reason, fallback_code=code, reason=reason, reviewer=author)
    else:
        reason = f"{reviewer['id']} ({reviewer['family']}) reviews {author['id']} ({author['family']})"
        result.update(reason=reason, reviewer=reviewer)
    result["estimated_incremental_cost"] = _added_cost(author, result["reviewer"])
    return result


def _why(author: Dict, search: _Search) -> tuple[str, str]:
    if author["family"] == "unknown":
        return "unknown_author_family", "its family is not known"
    if not search.serverless:
        return "no_diff_family_serverless", "no serverless model of another family is in the catalog"
    if search.other_families:
        return "no_diff_family_within_price", "no model of another family is within the price limit"
    return "all_diff_family_excluded", "every model of another family is excluded as a reviewer"


def _added_cost(author: Dict, reviewer: Dict) -> Dict:
    pricing = reviewer.get("pricing") or {}
    total = _price(reviewer)
    cost: Dict = {
        "input_per_mtok": pricing.get("input_per_mtok"),
        "output_per_mtok": pricing.get("output_per_mtok"),
        "total_per_mtok": None if total is None else float(total),
    }
    own = _price(author)
    if total is not None and own:
        cost["multiplier_vs_author"] = float(total / own)
    return cost
