import math
from dataclasses import replace

from plait.experiments.report.outcomes import outcomes_of
from plait.experiments.report.tables import (
    cell_table,
    cost_table,
    dataset_table,
    failure_table,
    force_table,
    report_contents,
    settings_table,
    unfinished_table,
    version_table,
    warning_table,
)


def words(table):
    return [tuple(entry.value for entry in row) for row in table.rows]


def test_costs_are_means_of_one_data_set_and_method(made_up):
    cells = made_up()
    table = cost_table(outcomes_of(cells))
    mine = [c for c in cells if (c.dataset, c.method) == ("sea", "br")]
    first = table.rows[0]
    assert (first[0].value, first[1].value) == ("sea", "br")
    assert math.isclose(first[2].value, sum(c.fit_seconds for c in mine) / 3, rel_tol=1e-12)
    assert first[4].value == 128
    assert len(table.rows) == 9


def test_sizes_of_data_sets_and_how_much_is_finished(made_up):
    cells = made_up(("sea",))
    found = outcomes_of(cells[1:], [replace(cells[0], metrics={}, extras={})])
    assert words(dataset_table(found)) == [("sea", 80, 20, 40, 6, "8 of 9")]
    assert words(unfinished_table(found)) == [("sea", "br", 1)]
    assert unfinished_table(outcomes_of(cells)).rows == ()


def test_settings_that_differ_between_data_sets_have_lines_of_their_own(made_up):
    cells = [
        replace(c, parameters={"use": "kcc", "k": 2}) if (c.dataset, c.method) == ("sun", "cc") else c
        for c in made_up()
    ]
    assert words(settings_table(outcomes_of(cells))) == [
        ("br", "all", '{"use": "br"}'),
        ("cc", "sea, sand", '{"use": "cc"}'),
        ("pcc", "all", '{"use": "pcc"}'),
        ("cc", "sun", '{"use": "kcc", "k": 2}'),
    ]


def test_settings_in_force_are_all_parameters_without_seeds(made_up):
    cells = [
        replace(cell, extras={"settings": {"C": "1.0" if cell.dataset == "sea" else "2.0", "a__random_state": "7"}})
        for cell in made_up(("sea", "sun"), ("br",))
    ]
    assert words(force_table(outcomes_of(cells))) == [("br", "C", "1.0", "sea"), ("br", "C", "2.0", "sun")]
    assert force_table(outcomes_of(made_up())).rows == ()


def test_versions_are_counted_where_they_differ(made_up):
    cells = made_up(("sea",))
    assert words(version_table(outcomes_of(cells))) == [("plait", "0.1.0"), ("python", "3.11.2")]
    mixed = version_table(outcomes_of([replace(cells[0], versions={"plait": "0.0.9"}), *cells[1:]]))
    assert words(mixed)[0] == ("plait", "0.1.0 (8 cells), 0.0.9 (1 cells)")
    assert mixed.notes == ("Results come from more than one version of plait.",)


def test_failures_and_warnings(made_up):
    cells = made_up(("sea",))
    cells[4] = replace(cells[4], error="ValueError: too <hot>", metrics={})
    cells[0] = replace(cells[0], extras={"warnings": ["RuntimeWarning: overflow"]})
    found = outcomes_of(cells)
    assert words(failure_table(found)) == [("sea", "cc", 1, 0, "ValueError: too <hot>")]
    assert words(warning_table(found)) == [("br", 1, "RuntimeWarning: overflow")]


def test_every_cell_has_a_line_with_every_metric(made_up):
    cells = made_up()
    table = cell_table(outcomes_of(cells))
    assert len(table.rows) == len(cells)
    assert [c.name for c in table.columns[4:7]] == ["exact_match", "hamming_loss", "log_loss"]
    assert table.rows[5][4].value == cells[5].metrics["exact_match"]


def test_empty_tables_are_left_out_and_names_of_tables_differ(made_up):
    contents = report_contents(outcomes_of(made_up()))
    names = [table.name for table in contents.tables]
    assert "failures" not in names
    assert len(set(names)) == len(names)
    assert report_contents(outcomes_of([])).tables == []


def test_warnings_that_differ_in_numbers_alone_are_one_and_a_cell_counts_once(made_up):
    cells = made_up(("sea",))
    said = ["FewLabels: gives 1.1 of 2.3", "FewLabels: gives 1.0 of 2.3"]
    for place, words_of_it in ((0, said), (1, said[1:]), (2, [*said[:1], "Other: 3"])):
        cells[place] = replace(cells[place], method="br", extras={"warnings": words_of_it})
    assert words(warning_table(outcomes_of(cells))) == [("br", 3, said[0]), ("br", 1, "Other: 3")]
