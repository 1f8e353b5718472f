from plait.core.sentences import complaint, shown


def test_long_values_are_cut_to_one_line():
    text = shown("a\nb" * 500)
    assert len(text) == 80
    assert "\n" not in text


def test_way_out_can_be_given():
    assert complaint("F", "k", "odd", 2, "Add one.") == "F needs k to be odd, but it is 2 (int). Add one."


def test_none_has_no_type_note():
    assert complaint("F", "k", "odd", None) == "F needs k to be odd, but it is None. Pass odd."
