import re

from plait.pictures.pages import page_html


def test_the_title_is_escaped_and_nothing_is_fetched():
    page = page_html("</title><script>", "<p>words</p>", style="p{margin:0}", script="let a = 1;")
    assert "<title>&lt;/title&gt;&lt;script&gt;</title>" in page
    assert page.index("p{margin:0}") < page.index("</style>") < page.index("<p>words</p>") < page.index("let a = 1;")
    assert page.count("<script>") == 1
    assert not re.search(r"(src|href)=|url\(|@import", page)


def test_without_a_script_there_is_none():
    assert "<script" not in page_html("a", "b")
