"""Tables: same rows, same bytes; clear errors; nothing that runs in a spreadsheet."""

import pandas as pd
import pyarrow as pa
import pytest

from breakeven import files, tables
from breakeven.errors import BreakevenError

SCHEMA = pa.schema(
    [
        pa.field("name", pa.string(), nullable=False),
        pa.field("n", pa.int64()),
        pa.field("x", pa.float64()),
    ]
)
FRAME = pd.DataFrame({"name": ["b", "a"], "n": [2, None], "x": [0.1, None]})


def test_order_of_rows_does_not_change_the_bytes(tmp_path):
    tables.write(FRAME, SCHEMA, ["name"], tmp_path / "1.parquet")
    tables.write(FRAME[::-1], SCHEMA, ["name"], tmp_path / "2.parquet")
    assert (tmp_path / "1.parquet").read_bytes() == (tmp_path / "2.parquet").read_bytes()


def test_reads_back_what_was_written_with_whole_numbers_whole(tmp_path):
    tables.write(FRAME, SCHEMA, ["name"], tmp_path / "t.parquet")
    assert tables.records(tables.read(tmp_path / "t.parquet", SCHEMA)) == [
        {"name": "a", "n": None, "x": None},
        {"name": "b", "n": 2, "x": 0.1},
    ]


@pytest.mark.parametrize(
    "frame",
    [FRAME.drop(columns="n"), FRAME.assign(n=1.5), FRAME.assign(x="much")],
)
def test_what_does_not_fit_the_schema_is_an_error(tmp_path, frame):
    with pytest.raises(BreakevenError):
        tables.write(frame, SCHEMA, ["name"], tmp_path / "t.parquet")
    assert list(tmp_path.iterdir()) == []


def test_a_null_where_none_may_be_is_an_error(tmp_path):
    with pytest.raises(BreakevenError, match="column name"):
        tables.write(FRAME.assign(name=[None, "a"]), SCHEMA, ["name"], tmp_path / "t.parquet")


def test_csv_has_no_formula(tmp_path):
    frame = FRAME.assign(name=["=cmd()", "@x"])
    tables.write_csv(frame, SCHEMA, ["name"], tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "name,n,x\n'=cmd(),2,0.1\n'@x,,\n"


@pytest.mark.parametrize("damage", [b"", b"PAR1", b"not a table at all", None])
def test_a_damaged_file_is_a_clear_error(tmp_path, damage):
    path = tmp_path / "t.parquet"
    tables.write(FRAME, SCHEMA, ["name"], path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] if damage is None else damage)
    with pytest.raises(BreakevenError, match=r"t\.parquet: damaged, or not a Parquet file"):
        tables.read(path, SCHEMA)


def test_another_schema_is_a_clear_error(tmp_path):
    tables.write(FRAME, SCHEMA, ["name"], tmp_path / "t.parquet")
    with pytest.raises(BreakevenError, match="another schema than expected: n"):
        tables.read(tmp_path / "t.parquet", SCHEMA.set(1, pa.field("n", pa.float64())))


def test_a_block_that_fails_leaves_nothing(tmp_path):
    def fail():
        with files.written_aside(tmp_path / "t") as aside:
            aside.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert list(tmp_path.iterdir()) == []
