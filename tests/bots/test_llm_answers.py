"""How the bot `llm` reads answers: what is an action in any dress, and what must not be taken for one."""

import pytest
from tourney_bots.llm.answers import Reader

NAMES = ("play:4t", "play:10k", "hold (no bang)", "pass")
SECOND = r"""2|play:10k|PLAY:10K|**2**|`2`|"2"|'play:10k'|2.|2)|(2)|[2]|#2|2:|→ 2|→2|=> 2|- 2|* 2|> 2|_2_|$2$
\boxed{2}|$\boxed{2}$.|\boxed{\text{play:10k}}|The final answer is \boxed{2}.|Option 2|option: 2
Action:2|**Action:** 2|Answer - 2|**Final answer: play:10k**|My answer is 2.|So the best move is 2
2 (play:10k)|2. play:10k|2: play:10k|play:10k (2)|Option 2: play:10k|{"action": 2}
{"move": "play:10k", "why": "x"}|Answer: {"action": "2"}|`{"answer": 2}`|```2```|<answer>2</answer>
I choose 2.|I'll go with option 2|I will play play:10k.|Thus I pick \boxed{2}"""
WHOLE = (
    "2\n\n", "\uff12", "\uff12\uff0e", "2 \u2013 play:10k", "答案\uff1a2", "<think>3</think>2", "3?\n</think>\n\n2",
    "2\nGood luck!", "Answer:\n2", "x\n```\n2\n```", "```\n1\n3\n```\nso\n```text\n2\n```",
    'x\n```json\n{"move": "play:10k"}\n```', '{\n"thought": "a} {b",\n"action": 2\n}',
    '{"thought": "' + "long " * 500 + '", "action": 2}',
)  # fmt: skip
NOTHING = r"""I will not play this one: 2|I will not play 2|Not 2|2 or 3|2, 3|2 3|-2|2?|2%|2.5|2nd|0|5|99|2/3|Maybe 2
Option 2 or 3|Option 2 is weak|Answer: not 2|The answer isn't 2|Avoid: 2|Worst option: 2
The worst option is 2|I choose between 1 and 2|I pick 2 cards|I choose not 2|I don't choose 2|I have 2
I would never choose 2|You should choose 2|3 (play:10k)|2. pass|play:10k (3)|play:10k or pass
not play:10k|{"action": 2, "move": 3}|{"reject": 2}|{"action": [2]}|{"action": true}
I will not do {"action": 2}|It is not \boxed{2}|\boxed{}|\boxed{2 or 3}|Answer:|Step 2|Seat 2|My hand: 2
<answer>not 2</answer>|...|```"""
UNFINISHED = (
    "", "<think>I might play\n2", "<think>a</think>b<think>\n2", "1\n2", "1. play:4t\n2. play:10k", "```\n1\n2\n```",
    "2\nBut wait, 3 may be better.", "Good luck!", "x" * 3_000_000 + "2", "```" * 300_000 + "2", "{" * 300_000,
    "\n2 or" * 300_000,
)  # fmt: skip


def found(text):
    return Reader([7, 5, 6, 8], [[name, name.partition(" (")[0]] for name in NAMES]).find(text).action


@pytest.mark.parametrize("text", [*SECOND.replace("\n", "|").split("|"), *WHOLE])
def test_an_action_is_read_in_any_dress(text):
    assert found(text) == found(f"I lead high, not 3.\n{text}") == 5


@pytest.mark.parametrize("text", [*NOTHING.replace("\n", "|").split("|"), *UNFINISHED])
def test_nothing_is_read_out_of_a_sentence_or_an_unfinished_thought(text):
    assert found(text) is None
    assert found(f"I lead high.\n{text}") is None


def test_a_name_with_brackets_is_read_with_and_without_its_number():
    assert {found(text) for text in ("hold", "hold (no bang)", "3. hold (no bang)", "3 (hold)", "hold (3)")} == {6}
