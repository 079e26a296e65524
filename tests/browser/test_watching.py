"""What watches the pages of the other tests sees whatever goes wrong there."""

import time

import pytest

from tests.browser.chromium import watched_page

POLICY = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'
WRONG = {
    "<script>console.error('broken')</script>": "error: broken",
    "<script>throw new Error('oh')</script>": "exception: oh",
    '<img src="beside.png" alt="">': "beside.png",
    "<script>fetch('http://127.0.0.1:9/x').catch(() => {})</script>": "request: http://127.0",
    f"{POLICY}<script>1</script>": "against the policy: script-src",
}


@pytest.mark.slow
@pytest.mark.parametrize("part", WRONG, ids=WRONG.values())
def test_what_goes_wrong_on_a_page_is_a_problem(browser, tmp_path, part):
    (tmp_path / "page.html").write_text(f"<!doctype html><title>t</title>{part}<h1>t</h1>", encoding="utf-8")
    with watched_page(browser, tmp_path / "page.html") as watched:
        page, until = watched.open(), time.monotonic() + 120
        while not any(WRONG[part] in problem for problem in watched.problems):
            assert time.monotonic() < until, watched.problems
            page.wait_for_timeout(10)
