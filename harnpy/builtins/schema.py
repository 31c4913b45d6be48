"""Schema builtins: check, parse, expect, report (builtins 1.10)."""

from __future__ import annotations

from harnpy.builtins.arguments import ABSENT, too_few
from harnpy.builtins.schema_validation import Validator
from harnpy.errors import HarnError, thrown_text
from harnpy.runtime.values import EnumValue, err, ok, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def validated(value: Any, schema: Any, apply_defaults: bool) -> tuple[Any, list[str]]:
    """Give the normalised value and the errors.

    Raises:
        HarnError: the schema is malformed.
    """
    validator = Validator(schema, apply_defaults)
    return validator.validate(value), validator.errors


def _result(value: Any, schema: Any, apply_defaults: bool) -> EnumValue:
    try:
        normalised, errors = validated(value, schema, apply_defaults)
    except HarnError as error:
        return err({"message": error.value, "errors": [error.value]})
    if errors:
        return err({"message": errors[0], "errors": list(errors), "value": normalised})
    return ok(normalised)


def schema_check(value: Any = None, schema: Any = ABSENT) -> EnumValue:
    """Give ``Ok(normalised value)``, or ``Err({message, errors, value?})`` when the value does not fit.

    Errors: a malformed schema throws.
    """
    if schema is ABSENT:
        raise too_few("schema_check", 2)
    return _result(value, schema, apply_defaults=False)


def schema_parse(value: Any = None, schema: Any = ABSENT) -> EnumValue:
    """As ``schema_check``, with the defaults of the schema filled in first."""
    if schema is ABSENT:
        raise too_few("schema_parse", 2)
    return _result(value, schema, apply_defaults=True)


def schema_is(value: Any = None, schema: Any = ABSENT) -> bool:
    """Tell whether a value fits a schema dict. Errors: a malformed schema throws."""
    if schema is ABSENT:
        raise too_few("schema_is", 2)
    return not validated(value, schema, apply_defaults=False)[1]


def schema_expect(value: Any = None, schema: Any = ABSENT, apply_defaults: Any = False) -> Any:
    """Give the normalised value, with defaults when ``apply_defaults`` is true.

    Errors: throws a text with all errors when it does not fit, and for a malformed schema.
    """
    if schema is ABSENT:
        raise too_few("schema_expect", 2)
    normalised, errors = validated(value, schema, bool(apply_defaults))
    if errors:
        raise thrown_text("; ".join(errors))
    return normalised


def schema_report(value: Any = None, schema: Any = ABSENT, apply_defaults: Any = False) -> dict[str, Any]:
    """Give ``{ok, errors, value}``: all errors as texts, the normalised value. Errors: a malformed schema throws."""
    if schema is ABSENT:
        raise too_few("schema_report", 2)
    normalised, errors = validated(value, schema, bool(apply_defaults))
    return {"ok": not errors, "errors": list(errors), "value": normalised}


def json_validate(value: Any = None, schema: Any = ABSENT) -> bool:
    """Give true when a value fits a JSON Schema. Errors: throws the errors as one text when it does not."""
    if schema is ABSENT:
        raise too_few("json_validate", 2)
    schema_expect(value, schema)
    return True


def schema_of(schema: Any = None) -> dict[str, Any]:
    """Give a schema dict as it is; the schema of a type alias is put in when the program is read."""
    if type(schema) is not dict:
        raise thrown_text(f"schema_of: expected a type alias or schema dict, got {type_of(schema)}")
    return schema
