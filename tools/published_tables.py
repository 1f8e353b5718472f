"""Write the compact files of published results from a folder of transcribed tables.

    python tools/published_tables.py FOLDER

reads `<paper>-table*.csv` and `friedman.csv` in FOLDER and writes `src/plait/experiments/published/<paper>.csv` and
`rank_tests.csv`: facts only, numbers as printed, with plait's names of papers and measures. The files are part of
the package; run this again when a table has been corrected.
"""

import csv
import io
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "plait" / "experiments" / "published"
PAPERS = {"occ": "occ", "scls": "scls", "mixture-of-ctbns": "mc", "pcc": "pcc", "pacc-ldf": "pacc"}
MEASURES = {
    "accuracy": "jaccard_accuracy",
    "subset-0/1-loss": "subset_loss",
    "train-time-s": "fit_seconds",
    "learning-time-s": "fit_seconds",
    "test-time-s": "predict_seconds",
    "prediction-time-s": "predict_seconds",
}
COLUMNS = ("table", "dataset", "method", "metric", "mean", "std", "marker", "protocol")
TEST_COLUMNS = ("paper", "table", "metric", "n_methods", "n_datasets", "f", "test", "difference", "f_recomputed")
# Worked examples inside a paper are numbers of another kind: tests hold them where they are needed.
LEFT_OUT = ("scls-table7-10-bibtex-worked-example.csv", "dataset-statistics.csv", "friedman.csv")


def measure_name(word: str) -> str:
    """Return plait's name of a measure; what follows a colon (`:p-value`) stays."""
    name, colon, rest = word.partition(":")
    return MEASURES.get(name, name.replace("-", "_")) + colon + rest


def compact_files(folder: Path) -> dict[str, str]:
    """Return name of file -> its text."""
    results: dict[str, list[dict[str, str]]] = {paper: [] for paper in PAPERS.values()}
    for path in sorted(folder.glob("*-table*.csv")):
        if path.name in LEFT_OUT:
            continue
        for row in _rows(path):
            row["metric"], row["marker"] = measure_name(row["metric"]), row["rank_or_marker"]
            row["protocol"] = row["protocol"].split(";")[0]
            results[PAPERS[row["paper"]]].append(row)
    files = {f"{paper}.csv": _text(COLUMNS, rows) for paper, rows in results.items()}
    tests = [
        row
        | {
            "paper": PAPERS[row["paper"]],
            "metric": measure_name(row["metric"]),
            "f": row["f_f"],
            "test": row["posthoc"],
            "difference": row["cd"],
            "f_recomputed": row["f_f_recomputed"],
        }
        for row in _rows(folder / "friedman.csv")
    ]
    return files | {"rank_tests.csv": _text(TEST_COLUMNS, tests)}


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf8", newline="") as file:
        return list(csv.DictReader(file))


def _text(columns: tuple[str, ...], rows: list[dict[str, str]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def main() -> None:
    """Write the files and say how many lines each has."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for name, text in compact_files(Path(sys.argv[1])).items():
        (PACKAGE / name).write_text(text, encoding="utf8", newline="\n")
        print(f"{name:<16}{text.count(chr(10)):>6} lines")


if __name__ == "__main__":
    main()
