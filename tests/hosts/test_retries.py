"""Which ends of a process may come from outside, and how many of them count."""

import signal

import pytest

from tourney.hosts import retries


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
def test_a_kill_may_come_from_outside_whoever_reports_it(number):
    for exit_code in (-number, 128 + number):
        assert retries.ending_signal(exit_code) == number
        assert retries.may_be_from_outside(exit_code)


@pytest.mark.parametrize("exit_code", [0, 1, 3, 9, 15, 128, 255, -signal.SIGSEGV, 128 + signal.SIGABRT])
def test_another_end_is_the_process_s_own(exit_code):
    assert not retries.may_be_from_outside(exit_code)


def test_an_end_that_may_come_from_outside_has_to_come_more_often_to_count():
    assert retries.ends_that_count(True, apart=False) > retries.ends_that_count(False, apart=False) >= 2
    assert retries.ends_that_count(True, apart=True) > retries.ends_that_count(True, apart=False)
    assert retries.ends_that_count(False, apart=True) == retries.ends_that_count(False, apart=False)
    assert retries.MOST_ATTEMPTS == retries.starts_in_vain(True) > retries.starts_in_vain(False) >= 2
    assert retries.MOST_ATTEMPTS > retries.SAME_ENDS
