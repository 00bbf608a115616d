"""What is odd about the inputs is never lost."""

from breakeven import analysis, config, facts, parse, problems
from breakeven.fetch import Entry
from tests.conftest import ROOT, Upstream
from tests.unit.test_facts import ACCEPTED, DESCRIPTION

FOLDER = ROOT / "config"
LOG = Upstream.LOG.format(start=1700000000000, stop=1700000060000)


def test_a_log_that_names_no_benchmark_is_a_recorded_problem(tmp_path):
    pinned = config.load_round(FOLDER / "rounds", "v0.7")
    contents = {
        "S/results/sys/bert/result_0.txt": LOG,
        "S/results/sys/result_1.txt": LOG,
        "S/systems/sys.json": DESCRIPTION.replace("Example X1", "NVIDIA V100"),
    }
    entries = []
    for path, content in contents.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content)
        entries.append(Entry(path, path[-4:] * 10, len(content), "present", ""))
    found = facts.framed(parse.parse(entries, pinned.layout, ACCEPTED, tmp_path))
    runs, scores, systems, _ = analysis.scored(
        found,
        pinned,
        config.load(config.Benchmarks, FOLDER / "benchmarks.yaml"),
        config.load(config.Vocabulary, FOLDER / "vocabulary.yaml"),
        config.load(config.Accelerators, FOLDER / "accelerators.yaml"),
    )
    assert runs["path"].tolist() == ["S/results/sys/bert/result_0.txt"]
    table = problems.build(found, runs, scores, systems, "v0.7")
    lost = table[table["kind"] == "no benchmark"]
    assert lost["path"].tolist() == ["S/results/sys/result_1.txt"]
    assert lost["action"].tolist() == ["not ranked"]
