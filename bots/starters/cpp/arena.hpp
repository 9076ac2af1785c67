// What arena.cpp does for the bot. Leave it alone.

#ifndef ARENA_HPP
#define ARENA_HPP

#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace arena {

struct Move {
  std::string text;       // as the arena wrote it
  std::optional<int> pit; // where it is the number of a pit
};

// By seat, and by pit where there is a second index. What a game does not have
// is empty.
struct Position {
  std::vector<std::vector<int>> pits;
  std::optional<int> to_move;
  std::vector<int> stores;
  std::vector<int> captured;
  std::vector<std::vector<std::optional<int>>> uur_owner;
  std::vector<int> active;
  std::vector<int> finished;
  std::vector<int> left;
};

struct Start {
  std::string match;
  std::string game;
  std::map<std::string, std::string> options; // "6", "true", "either"
  int seat = 0;
  int seats = 0;
  std::vector<std::string> names;
  Position position;
  std::string seed;
  bool ponder = false;
};

struct Ply {
  int ply = 0;
  int seat = 0;
  Move move;
};

struct Turn {
  std::string match;
  int ply = 0;
  int seat = 0;
  Position position;
  std::vector<Move> legal;
  std::vector<Ply> since;
  std::optional<double> move_ms_max;
  std::vector<double> bank_ms; // by seat
  std::optional<double> increment_ms;
  std::optional<double> last_ms;
};

// Prints a line to standard error; standard output belongs to the arena.
template <typename... Values> void log(const Values &...values) {
  (std::cerr << ... << values) << '\n';
}

} // namespace arena

// Yours, in bot.cpp.
arena::Move choose_move(const arena::Turn &turn, const arena::Start &start);

#endif
