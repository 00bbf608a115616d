"""The data package describes every table file, and says what is unofficial."""

import json

from breakeven import datapackage, dictionary, schemas

ROUNDS = ["v0.5", "v4.1"]
FILES = datapackage.table_files(ROUNDS)
TABLES = {table.name: table for table in dictionary.TABLES}


def described():
    paths = [path for _, path, _ in FILES]
    sizes, digests = dict.fromkeys(paths, 7), dict.fromkeys(paths, "00")
    source = {"title": "MLPerf Training v4.1", "version": "abc"}
    return datapackage.descriptor(ROUNDS, sizes, digests, [source], "0.1.0")


def test_every_table_of_every_round_is_a_resource():
    paths = [path for _, path, _ in FILES]
    assert len(set(paths)) == len({name for name, _, _ in FILES}) == len(FILES)
    # Eight tables a round and three over all, each twice; four facts tables a round.
    assert len(FILES) == 2 * (8 * 2 + 3) + 4 * 2
    assert "results/history.csv" in paths
    assert "results/problems.parquet" in paths
    assert "results/v4.1/problems.csv" in paths
    assert "results/v4.1/history.csv" not in paths
    assert "data/facts/v0.5/events.parquet" in paths


def test_names_are_what_the_standard_advises():
    for name, path, _ in FILES:
        assert name == name.lower()
        assert not set(name) - set("abcdefghijklmnopqrstuvwxyz0123456789-_.")
        assert not path.startswith(("/", "."))


def test_fields_have_types_units_constraints_and_keys():
    schema = datapackage.schema(TABLES["scaling"])
    fields = {field["name"]: field for field in schema["fields"]}
    assert list(fields) == schemas.SCALING.names
    assert fields["minutes"]["type"] == "number"
    assert fields["minutes"]["unit"] == "min"
    assert fields["minutes"]["constraints"] == {"required": True}
    assert fields["accelerators"]["type"] == "integer"
    assert fields["lumpy"]["type"] == "boolean"
    assert "unit" not in fields["system"]
    assert "constraints" not in fields["exponent"]
    assert fields["speedup"]["description"].endswith("(unofficial metric)")
    assert schema["primaryKey"][0] == "round"
    assert "primaryKey" not in datapackage.schema(TABLES["breakeven"])


def test_an_empty_text_that_is_a_value_is_not_missing():
    fields = {f["name"]: f for f in datapackage.schema(TABLES["runs"])["fields"]}
    assert fields["reason"]["missingValues"] == []
    assert "missingValues" not in fields["duplicate_of"]


def test_it_says_what_is_unofficial_whose_the_trademark_is_and_what_csv_changes():
    text = described()["description"]
    assert "Derived metrics are unofficial, not verified by MLCommons" in text
    assert "trademark of MLCommons" in text
    assert "MLPerf" not in described()["name"] + described()["title"]
    for resource in described()["resources"]:
        assert ("apostrophe" in resource["description"]) == (resource["format"] == "csv")


def test_it_is_the_same_text_each_time_and_json():
    text = datapackage.as_json(described())
    assert text == datapackage.as_json(described())
    assert json.loads(text)["resources"][0]["bytes"] == 7
