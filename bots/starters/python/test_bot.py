"""Run with `python3 -m unittest`."""

import unittest

from bot import choose_move

KALAH = {
    "pits": [[4, 4, 4, 4, 4, 4], [4, 4, 4, 4, 4, 4]],
    "stores": [0, 0],
    "to_move": 0,
}
LAYLI_GOOBALAY = {
    "pits": [[2, 3, 1, 4], [5, 7, 1, 2]],
    "uur_owner": [[1, None, None, None], [None, None, None, 1]],
    "captured": [9, 5],
    "to_move": 0,
}
MANCALA_BASIC = {
    "pits": [[0, 0, 0, 1], [0, 0, 0, 4], [1, 9, 7, 1]],
    "stores": [6, 5, 2],
    "active": [0, 1, 2],
    "finished": [],
    "to_move": 2,
}


def choose(game, position, legal):
    seat = position["to_move"]
    turn = {"ply": 0, "seat": seat, "position": position, "legal": legal}
    return choose_move(turn, {"game": game})


class ChooseMove(unittest.TestCase):
    def test_kalah_a_last_seed_in_the_own_store_is_best(self):
        self.assertEqual(choose("kalah", KALAH, [0, 1, 2, 3, 4, 5]), 2)

    def test_layli_goobalay_the_move_is_legal(self):
        self.assertIn(choose("layli-goobalay", LAYLI_GOOBALAY, [1, 2, 3]), [1, 2, 3])

    def test_mancala_basic_the_move_is_legal(self):
        self.assertIn(choose("mancala-basic", MANCALA_BASIC, [0, 1, 3]), [0, 1, 3])

    def test_moves_that_are_no_pits_can_be_chosen_too(self):
        self.assertEqual(choose("unknown", {"to_move": 0}, [{"from": 3}]), {"from": 3})


if __name__ == "__main__":
    unittest.main()
