"""Printed numbers stand beside those of a run, where the plan is that of a paper."""

from plait.experiments.published import printed_scores
from plait.experiments.report import outcomes_of, report_contents, report_html
from plait.experiments.report.printed_numbers import page_title
from plait.experiments.running.cells import CellResult


def test_every_printed_number_that_ran_has_a_line():
    score = next(s for s in printed_scores("pcc") if s.metric == "hamming_loss")
    cell = CellResult(score.dataset, score.method, 0, 0, metrics={"hamming_loss": 0.25})
    contents = report_contents(outcomes_of([cell], plan=f"pcc {score.dataset} {score.method}"))
    (row,) = contents.printed.rows
    assert [entry.value for entry in row[:5]] == [score.dataset, score.method, "hamming loss", score.mean, 0.25]
    page = report_html(contents)
    assert "id='printed'" in page
    assert "<h1>PCC, as the paper says: " in page


def test_other_plans_have_none(made_up):
    contents = report_contents(outcomes_of(made_up(), plan="occasionally"))
    assert contents.printed.rows == ()
    assert "id='printed'" not in report_html(contents)


def test_titles_are_no_longer_than_a_line():
    assert page_title("occ/figure3") == "occ/figure3"
    assert len(page_title("x" * 200)) == 60
    assert page_title("") == ""


def test_numbers_have_the_digits_that_are_printed():
    wanted = [s for s in printed_scores("mc") if s.dataset == "emotions" and s.method == "BR"]
    scores = {s.metric: s.mean for s in wanted}
    parts = [
        CellResult("emotions", "BR", fold, 0, metrics={metric: mean + shift for metric, mean in scores.items()})
        for fold, shift in enumerate((-0.001, 0.001))
    ]
    table = report_contents(outcomes_of(parts, plan="mc")).printed
    rows = {row[2].value: zip(row, table.columns, strict=True) for row in table.rows}
    printed = {measure: [entry.written(head) for entry, head in row] for measure, row in rows.items()}
    assert printed["CLL-loss"][3:6] == [("153.5", ""), ("153.5", "0.0"), ("0.0", "")]
    assert printed["exact match"][3:5] == [("0.265", ""), ("0.265", "0.001")]
    assert table.notes[0] == "The paper prints no spread."
