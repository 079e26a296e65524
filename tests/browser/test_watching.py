"""What watches the pages of the other tests sees whatever goes wrong there."""

import time

import pytest

from tests.browser.chromium import watched_page

POLICY = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; {}">'
PAGE = '<!doctype html><html lang="en"><head><title>t</title>{}</head><body><main><h1>t</h1>{}</main></body></html>'
WRONG = {
    "an error in the console": ("", "<script>console.error('broken')</script>", "error: broken"),
    "an exception": ("", "<script>throw new Error('oh')</script>", "exception: oh"),
    "a file beside it": ("", '<img src="beside.png" alt="">', "beside.png"),
    "another machine": ("", "<script>fetch('http://127.0.0.1:9/x').catch(() => {})</script>", "request: http://127.0"),
    "a script that the policy forbids": (POLICY.format(""), "<script>1</script>", "against the policy: script-src"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG)
def test_what_goes_wrong_on_a_page_is_a_problem(browser, tmp_path, name):
    head, body, expected = WRONG[name]
    file = tmp_path / "page.html"
    file.write_text(PAGE.format(head, body), encoding="utf-8")
    with watched_page(browser, file) as watched:
        page, until = watched.open(), time.monotonic() + 120
        while not any(expected in problem for problem in watched.problems):
            assert time.monotonic() < until, watched.problems
            page.wait_for_timeout(10)
