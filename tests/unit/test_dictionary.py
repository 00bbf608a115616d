"""The dictionary says of every column what it means, and of nothing else."""

import pyarrow as pa
import pytest

from breakeven import dictionary, facts, schemas
from breakeven.errors import BreakevenError

PAIRS = [(table.name, field) for table in dictionary.TABLES for field in table.schema]


def test_every_schema_is_a_table_of_the_dictionary():
    listed = [table.schema for table in dictionary.TABLES]
    theirs = [value for value in vars(schemas).values() if isinstance(value, pa.Schema)]
    theirs += [table.schema for table in facts.TABLES]
    assert all(any(schema is other for other in listed) for schema in theirs)
    assert len(theirs) == len(listed)


@pytest.mark.parametrize(("table", "field"), PAIRS, ids=lambda value: getattr(value, "name", value))
def test_every_column_has_one_line_and_a_unit_if_it_is_a_number(table, field):
    found = dictionary.column(table, field.name)
    assert 3 < len(found.description) < 240
    assert "\n" not in found.description
    assert not found.description.endswith(".")
    number = pa.types.is_integer(field.type) or pa.types.is_floating(field.type)
    assert bool(found.unit) == number


def test_no_entry_is_unused():
    pairs = {(table, field.name) for table, field in PAIRS}
    assert set(dictionary.SPECIFIC) <= pairs
    general = {name for table, name in pairs - set(dictionary.SPECIFIC)}
    assert set(dictionary.COLUMNS) == general


def test_a_column_without_an_entry_is_named():
    with pytest.raises(BreakevenError, match="runs has no entry for 'colour'"):
        dictionary.column("runs", "colour")


def test_keys_are_never_empty_columns_of_their_table():
    for table in dictionary.TABLES:
        assert set(table.key) | set(table.order) <= set(table.schema.names)
        assert not any(table.schema.field(name).nullable for name in table.key)


def test_derived_metrics_are_called_unofficial():
    for name in ("speedup", "efficiency", "price_of_hour", "marginal_efficiency", "exponent"):
        assert dictionary.column("scaling", name).unofficial
    assert dictionary.column("breakeven", "accelerators").unofficial
    assert not dictionary.column("scores", "minutes").unofficial
