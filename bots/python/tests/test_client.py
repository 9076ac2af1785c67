"""The client loop, with sessions of its own. Run with `python3 -m unittest discover -s bots/python/tests`."""

import contextlib
import io
import json
import sys
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

# Where the package is not installed.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from mancala_arena import RESIGN, info, run

HELLO = {"type": "hello", "protocols": [1], "arena": "mancala-arena 0.1.0"}
START = {"type": "start", "match": "1", "game": "kalah", "seat": 0}
TURN = {"type": "turn", "match": "1", "ply": 4, "seat": 0, "legal": [3, 5]}
QUIT = {"type": "quit"}


def session(messages: list[dict[str, Any]], *args: Any, **options: Any) -> tuple[list[Any], str]:
    """What `run` answers to the messages, and what it logs."""
    stdin = mock.Mock(buffer=io.BytesIO("".join(json.dumps(each) + "\n" for each in messages).encode()))
    out, log = io.StringIO(), io.StringIO()
    with mock.patch("sys.stdin", stdin), contextlib.redirect_stdout(out), contextlib.redirect_stderr(log):
        run(*args, **options)
    return [json.loads(line) for line in out.getvalue().splitlines()], log.getvalue()


class Run(unittest.TestCase):
    def test_each_turn_is_answered_with_its_ply(self) -> None:
        answers, _ = session([HELLO, START, TURN, TURN], lambda turn, start: turn["legal"][-1])
        move = {"type": "move", "move": 5, "ply": 4}
        self.assertEqual(answers, [{"type": "hello", "protocol": 1, "features": []}, move, move])

    def test_hello_says_what_is_given(self) -> None:
        about: dict[str, Any] = {"name": "sower", "games": ["kalah"], "features": ["observe"]}
        answers, _ = session([HELLO], None, **about)
        self.assertEqual(answers, [{"type": "hello", "protocol": 1, **about}])

    def test_ready_is_said_after_on_start_and_only_where_announced(self) -> None:
        for features, answer in ((["ready"], [{"type": "ready"}]), ([], [])):
            started: list[Any] = []
            answers, _ = session([HELLO, START], None, features=features, on_start=started.append)
            self.assertEqual((answers[1:], started), (answer, [START]))

    def test_plies_and_ends_are_told(self) -> None:
        told: list[Any] = []
        ply, end = {"type": "ply", "move": 2}, {"type": "end", "places": [1, 2]}
        session([HELLO, ply, end], None, on_ply=told.append, on_end=told.append)
        self.assertEqual(told, [ply, end])

    def test_what_is_not_known_needs_no_answer(self) -> None:
        answers, _ = session([{"type": "later"}, {"type": "ply"}, {"type": "end"}], None)
        self.assertEqual(answers, [])

    def test_a_bot_can_resign_and_inform(self) -> None:
        def choose_move(turn: Any, start: Any) -> object:
            info(score=-9)
            return RESIGN

        answers, _ = session([START, TURN], choose_move)
        self.assertEqual(answers, [{"type": "info", "score": -9}, {"type": "resign"}])

    def test_faults_are_logged(self) -> None:
        error = {"type": "error", "code": "illegal_move", "message": "illegal move 5"}
        self.assertIn("illegal_move: illegal move 5", session([error], None)[1])

    def test_nothing_is_read_after_quit(self) -> None:
        self.assertEqual(session([QUIT, HELLO], None)[0], [])

    def test_an_arena_of_another_protocol_is_refused(self) -> None:
        with self.assertRaises(RuntimeError):
            session([{**HELLO, "protocols": [2]}], None)


if __name__ == "__main__":
    unittest.main()
