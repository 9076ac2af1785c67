"""The rules, by the examples of `arena rules GAME`. Run with `python3 -m unittest discover -s bots/python/tests`."""

import sys
import unittest
from pathlib import Path
from typing import Any

# Where the package is not installed.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from mancala_arena import Game, Kalah, LayliGoobalay, Match, OptionValue

Options = dict[str, OptionValue]


def played(game: str, options: Options, moves: list[int]) -> Match[Any]:
    """The match after these moves from the start."""
    match: Match[Any] = Match(Game.named(game, options))
    for move in moves:
        match.play(move)
    return match


def wire(match: Match[Any], field: str = "pits") -> Any:
    return match.position.to_wire()[field]


class KalahRules(unittest.TestCase):
    def check(self, options: Options, moves: list[int], rows: list[list[int]]) -> Match[Any]:
        match = played("kalah", options, moves)
        self.assertEqual(wire(match), rows)
        return match

    def test_a_last_seed_in_the_own_store_moves_again(self) -> None:
        match = self.check({}, [2], [[4, 4, 0, 5, 5, 5], [4, 4, 4, 4, 4, 4]])
        self.assertEqual(match.to_move, 0)

    def test_a_last_seed_in_an_empty_own_pit_captures(self) -> None:
        match = self.check({}, [4, 0, 0], [[0, 5, 5, 5, 0, 5], [0, 0, 5, 5, 5, 5]])
        self.assertEqual(wire(match, "stores"), [8, 0])

    def test_a_sowing_of_one_round_captures(self) -> None:
        self.check({"pits": 2, "seeds": 5}, [0], [[0, 6], [6, 0]])

    def test_empty_capture_takes_a_seed_that_faces_nothing(self) -> None:
        rows = [[4, 0, 5, 5, 5, 0], [0, 6, 6, 5, 5, 5]]
        match = self.check({"empty_capture": True}, [5, 0, 1], rows)
        self.assertEqual(wire(match, "stores"), [2, 0])
        match = played("kalah", {}, [5, 0, 1])
        self.assertEqual(wire(match, "stores"), [1, 0])

    def test_an_empty_row_ends_the_match(self) -> None:
        match = self.check({"pits": 4, "seeds": 2}, [1, 3, 2, 0, 3], [[0] * 4, [0] * 4])
        self.assertEqual(match.ended, "rules")
        self.assertEqual(match.legal_moves(), [])
        self.assertEqual(match.outcome(), ((2, 1), (2, 14)))

    def test_the_option_end_says_whose_empty_row_ends_it(self) -> None:
        position = {"pits": [[0, 1], [2, 1]], "stores": [0, 0], "to_move": 0}
        for end, over in (("either", True), ("mover", True)):
            game = Game.named("kalah", {"pits": 2, "seeds": 1, "end": end})
            after = game.play(game.position(position), 1)
            self.assertEqual(after.to_move is None, over, end)
        position = {"pits": [[1, 0], [0, 3]], "stores": [0, 0], "to_move": 1}
        for end, over in (("either", True), ("mover", False)):
            game = Game.named("kalah", {"pits": 2, "seeds": 1, "end": end})
            after = game.play(game.position(position), 1)
            self.assertEqual(after.to_move is None, over, end)


class LayliGoobalayRules(unittest.TestCase):
    def check(self, options: Options, moves: list[int], rows: list[list[int]]) -> Match[Any]:
        match = played("layli-goobalay", options, moves)
        self.assertEqual(wire(match), rows)
        return match

    def test_a_relay_ends_in_an_empty_own_pit_and_captures(self) -> None:
        match = self.check({}, [0], [[2, 7, 0, 6, 1, 6], [6, 6, 0, 0, 6, 6]])
        self.assertEqual(wire(match, "captured"), [2, 0])

    def test_a_capture_of_three_makes_two_uurs(self) -> None:
        match = self.check({}, [0, 5], [[3, 14, 2, 0, 2, 6], [3, 0, 7, 2, 1, 6]])
        none = None
        self.assertEqual(
            wire(match, "uur_owner"),
            [[none, none, 1, none, none, none], [none, none, none, 1, none, none]],
        )

    def test_a_last_seed_in_an_uur_ends_the_turn(self) -> None:
        match = self.check({}, [0, 5, 0, 0], [[0, 15, 3, 0, 2, 6], [0, 1, 1, 3, 1, 6]])
        self.assertNotIn(3, match.game.legal_moves(match.position._replace(to_move=1)))

    def test_an_endless_relay_changes_nothing_and_passes_the_turn(self) -> None:
        match = self.check({"seeds": 3}, [5, 3, 5], [[1, 2, 1, 0, 3, 4], [0, 8, 0, 2, 7, 0]])
        self.assertEqual(match.to_move, 1)

    def test_chain_sows_on_after_a_capture(self) -> None:
        match = self.check({"ruleset": "chain"}, [3, 0], [[1, 5, 5, 1, 5, 5], [0, 6, 5, 5, 5, 0]])
        self.assertEqual(wire(match, "captured"), [0, 5])

    def test_chain_makes_uurs_from_a_filled_pit(self) -> None:
        rows = [[1, 6, 6, 0, 4, 6], [1, 2, 7, 5, 5, 0]]
        match = self.check({"ruleset": "chain"}, [0, 0, 3, 5, 3], rows)
        self.assertEqual(wire(match, "uur_owner")[0][4], 0)

    def test_the_forced_opening_holds_for_the_first_move(self) -> None:
        match = played("layli-goobalay", {"forced_opening": True}, [])
        self.assertEqual(match.legal_moves(), [0])
        match.play(0)
        self.assertGreater(len(match.legal_moves()), 1)

    def test_the_third_occurrence_of_a_position_ends_the_match(self) -> None:
        game = Game.named("layli-goobalay", {"pits": 4, "seeds": 2})
        position = game.position(
            {
                "pits": [[1, 0, 1, 2], [3, 2, 0, 2]],
                "uur_owner": [[None] * 4, [None] * 4],
                "captured": [5, 0],
                "to_move": 0,
            }
        )
        match: Match[Any] = Match(game, position)
        while match.ended is None:
            passes = (
                move
                for move in match.legal_moves()
                if game.play(match.position, move).ring == match.position.ring
            )
            match.play(next(passes))
        self.assertEqual((match.ended, match.ply), ("repetition", 4))
        self.assertEqual(match.outcome(), ((1, 2), (9, 7)))

    def test_the_cap_on_plies_ends_the_match_and_counts_it(self) -> None:
        class Short(LayliGoobalay):
            plies_max = 1

        match = Match(Short({}))
        match.play(0)
        self.assertEqual(match.ended, "ply_cap")
        self.assertEqual(match.outcome(), ((1, 1), (24, 24)))


class MancalaBasicRules(unittest.TestCase):
    SMALL: Options = {"seats": 3, "pits": 4, "seeds": 3}

    def check(self, options: Options, moves: list[int], rows: list[list[int]]) -> Match[Any]:
        match = played("mancala-basic", options, moves)
        self.assertEqual(wire(match), rows)
        return match

    def test_a_last_seed_in_the_own_store_moves_again(self) -> None:
        match = self.check({}, [2], [[4, 4, 0, 5, 5, 5], [4, 4, 4, 4, 4, 4]])
        self.assertEqual(match.to_move, 0)

    def test_a_last_seed_in_the_store_of_another_moves_again(self) -> None:
        rows = [[0, 1, 1, 0], [5, 1, 5, 5], [4, 3, 0, 4]]
        self.assertEqual(self.check(self.SMALL, [1, 2, 1, 2, 0, 3], rows).to_move, 0)

    def test_an_empty_row_has_finished_without_an_extra_turn(self) -> None:
        moves = [2, 2, 2, 0, 1, 3, 2, 2, 3]
        match = self.check(self.SMALL, moves, [[0, 0, 0, 0], [6, 4, 1, 1], [6, 4, 0, 5]])
        self.assertEqual((match.to_move, wire(match, "finished")), (1, [0]))

    def test_those_who_have_finished_are_passed_over(self) -> None:
        moves = [2, 2, 2, 0, 1, 3, 2, 2, 3, 0, 3]
        self.check(self.SMALL, moves, [[0, 0, 0, 0], [1, 6, 3, 3], [7, 5, 0, 0]])

    def test_without_all_places_the_first_empty_row_ends_the_match(self) -> None:
        moves = [2, 2, 2, 0, 1, 3, 2, 2, 3]
        match = played("mancala-basic", {**self.SMALL, "all_places": False}, moves)
        self.assertEqual(match.outcome(), ((1, 2, 3), (0, 12, 15)))

    def test_the_first_to_leave_is_last(self) -> None:
        match = played("mancala-basic", self.SMALL, [])
        match.leave(0)
        self.assertEqual((match.to_move, wire(match, "left")), (1, [0]))
        match.leave(2)
        self.assertEqual(match.ended, "resignation")
        self.assertEqual(match.outcome(), ((3, 1, 2), (12, 12, 12)))

    def test_pits_that_do_not_fit_the_seats_become_six(self) -> None:
        self.assertEqual(Game.named("mancala-basic", {"pits": 4}).options["pits"], 6)
        self.assertEqual(Game.named("mancala-basic", {"pits": 7, "seats": 3}).options["pits"], 6)


class Games(unittest.TestCase):
    def test_every_game_gives_its_positions_back(self) -> None:
        for name in Game.known:
            game = Game.named(name)
            position = game.start()
            while position.to_move is not None:
                self.assertEqual(game.position(position.to_wire()), position)
                position = game.play(position, game.legal_moves(position)[-1])

    def test_two_seats_forfeit_by_leaving(self) -> None:
        match = Match(Kalah({}))
        match.leave(0)
        self.assertEqual((match.ended, match.outcome()), ("resignation", ((2, 1), (24, 24))))

    def test_what_is_not_known_is_refused(self) -> None:
        wrong: list[tuple[str, Options]] = [
            ("owari", {}),
            ("kalah", {"rows": 2}),
            ("kalah", {"pits": 13}),
            ("kalah", {"pits": True}),
            ("layli-goobalay", {"ruleset": "chain", "forced_opening": True}),
        ]
        for name, options in wrong:
            with self.assertRaises(ValueError, msg=f"{name} {options}"):
                Game.named(name, options)

    def test_an_illegal_move_is_refused(self) -> None:
        match = Match(Kalah({}))
        match.play(5)
        with self.assertRaises(ValueError):
            match.play(6)


if __name__ == "__main__":
    unittest.main()
