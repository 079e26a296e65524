"""What is said below the standings explains the columns that are there, and no others."""

import pytest


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
@pytest.mark.parametrize("deals", [1, 30])
def test_the_signs_of_columns_are_explained_where_they_are_shown(tourney, write, played, columns, deals):
    played(write(deals=str(deals)))
    head, *rest = tourney("standings", "run", COLUMNS=str(columns)).stdout.splitlines()
    said = " ".join(" ".join(rest).split())
    assert ("+- 95 % interval" in said) == ("+-" in head.split())
    assert (">next % sure to be above" in said) == (">next" in head.split())
    assert ("unknown after a single deal" in said) == (deals == 1)
    if columns >= 80:
        assert (">next" in head.split()) == (deals > 1)


def test_markdown_explains_all_columns_that_it_has(tourney, write, played):
    played(write(deals="30"))
    assert "+- 95 % interval; " in tourney("standings", "run", "--format", "markdown").stdout
