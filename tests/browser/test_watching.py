"""What watches the pages of the other tests sees whatever goes wrong there."""

import time

import pytest

from tests.browser.chromium import PHONE, hindrances, sticks_out, watched_page

POLICY = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; {}">'
PAGE = '<!doctype html><html lang="en"><head><title>t</title>{}</head><body><main><h1>t</h1>{}</main></body></html>'
WRONG = {
    "an error in the console": ("", "<script>console.error('broken')</script>", "error: broken"),
    "a warning in the console": ("", "<script>console.warn('odd')</script>", "warning: odd"),
    "an exception": ("", "<script>throw new Error('oh')</script>", "exception: oh"),
    "a file beside it": ("", '<img src="beside.png" alt="">', "beside.png"),
    "another machine": ("", "<script>fetch('http://127.0.0.1:9/x').catch(() => {})</script>", "request: http://127.0"),
    "a socket": ("", "<script>new WebSocket('ws://127.0.0.1:9/x')</script>", "request: ws://127.0.0.1:9/x"),
    "a script that the policy forbids": (POLICY.format(""), "<script>1</script>", "against the policy: script-src"),
    "a style that the policy forbids": (POLICY.format(""), '<p style="color:red">a</p>', "against the policy: style"),
    "code from text": (
        POLICY.format("script-src 'unsafe-inline'"),
        "<script>try { eval('1') } catch (error) {}</script>",
        "against the policy: script-src",
    ),
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


@pytest.mark.slow
def test_a_page_that_keeps_to_its_policy_has_no_problem(open_page, tmp_path):
    file = tmp_path / "page.html"
    inline = POLICY.format("script-src 'unsafe-inline'; img-src data:")
    file.write_text(
        PAGE.format(inline, '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="a"><script>1</script>'),
        encoding="utf-8",
    )
    page = open_page(file, "match=a")
    assert page.evaluate("location.hash") == "#match=a"
    assert hindrances(page) == []
    assert sticks_out(page) == 0


@pytest.mark.slow
def test_what_keeps_people_out_is_found_although_the_policy_forbids_scripts(open_page, tmp_path):
    file = tmp_path / "page.html"
    file.write_text(PAGE.format(POLICY.format(""), "<button></button>"), encoding="utf-8")
    assert [text.split()[0] for text in hindrances(open_page(file))] == ["button-name"]


@pytest.mark.slow
def test_a_page_that_is_wider_than_a_phone_is_seen_to_be(open_page, tmp_path):
    file = tmp_path / "page.html"
    viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    file.write_text(PAGE.format(viewport, '<pre style="width: 700px">wide</pre>'), encoding="utf-8")
    assert sticks_out(open_page(file, size=PHONE)) > 300
