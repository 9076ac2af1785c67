# frozen_string_literal: true

# Run with `ruby test_bot.rb`.

require "minitest/autorun"
require_relative "bot"

# The move is one of the legal moves in a position of each game.
class TestChooseMove < Minitest::Test
  KALAH = {
    "pits" => [[4, 4, 4, 4, 4, 4], [4, 4, 4, 4, 4, 4]],
    "stores" => [0, 0],
    "to_move" => 0
  }.freeze
  LAYLI_GOOBALAY = {
    "pits" => [[2, 3, 1, 4], [5, 7, 1, 2]],
    "uur_owner" => [[1, nil, nil, nil], [nil, nil, nil, 1]],
    "captured" => [9, 5],
    "to_move" => 0
  }.freeze
  MANCALA_BASIC = {
    "pits" => [[0, 0, 0, 1], [0, 0, 0, 4], [1, 9, 7, 1]],
    "stores" => [6, 5, 2],
    "active" => [0, 1, 2],
    "finished" => [],
    "to_move" => 2
  }.freeze

  def choose(game, position, legal)
    turn = { "ply" => 0, "seat" => position["to_move"], "position" => position, "legal" => legal }
    choose_move(turn, { "game" => game })
  end

  def test_kalah_a_last_seed_in_the_own_store_is_best
    assert_equal 2, choose("kalah", KALAH, [0, 1, 2, 3, 4, 5])
  end

  def test_layli_goobalay_the_move_is_legal
    assert_includes [1, 2, 3], choose("layli-goobalay", LAYLI_GOOBALAY, [1, 2, 3])
  end

  def test_mancala_basic_the_move_is_legal
    assert_includes [0, 1, 3], choose("mancala-basic", MANCALA_BASIC, [0, 1, 3])
  end

  def test_moves_that_are_no_pits_can_be_chosen_too
    assert_equal({ "from" => 3 }, choose("unknown", { "to_move" => 0 }, [{ "from" => 3 }]))
  end
end
