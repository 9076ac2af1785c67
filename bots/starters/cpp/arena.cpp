// Reads messages, asks the bot for its moves, answers. Leave this file alone.

#include "arena.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <variant>

namespace {

constexpr int DEPTH_MAX = 64;

struct Json;
using Array = std::vector<Json>;
using Object = std::map<std::string, Json, std::less<>>;

struct Json {
  std::variant<std::nullptr_t, bool, double, std::string, Array, Object> value =
      nullptr;
  std::string_view text; // as it stands in the line

  // The member of an object; null where it is absent.
  const Json &operator[](std::string_view key) const {
    static const Json absent;
    const auto &members = std::get<Object>(value);
    const auto member = members.find(key);
    return member != members.end() ? member->second : absent;
  }
};

class Reader {
public:
  explicit Reader(const std::string &text) : line(text) {}

  Json read_value(int depth = 0) {
    skip_blanks();
    const std::size_t begin = at;
    Json json;
    const char first = peek();
    if (first == '{') {
      json.value = read_object(depth + 1);
    } else if (first == '[') {
      json.value = read_array(depth + 1);
    } else if (first == '"') {
      json.value = read_string();
    } else if (skip("true")) {
      json.value = true;
    } else if (skip("false")) {
      json.value = false;
    } else if (!skip("null")) {
      json.value = read_number();
    }
    json.text = std::string_view(line).substr(begin, at - begin);
    return json;
  }

private:
  const std::string &line;
  std::size_t at = 0;

  [[noreturn]] void fail(const std::string &expected) const {
    throw std::runtime_error("expected " + expected + " at byte " +
                             std::to_string(at) + ", found `" +
                             line.substr(at, 20) + "`");
  }

  // The next character; NUL at the end.
  char peek() const { return line.c_str()[at]; }

  bool skip(std::string_view expected) {
    if (line.compare(at, expected.size(), expected) != 0) {
      return false;
    }
    at += expected.size();
    return true;
  }

  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\r') {
      at++;
    }
  }

  // Reads what stands between brackets: calls `read_item` for each item.
  template <typename ReadItem>
  void read_items(const char *close, int depth, ReadItem read_item) {
    if (depth > DEPTH_MAX) {
      fail("less depth");
    }
    at++;
    skip_blanks();
    if (skip(close)) {
      return;
    }
    do {
      skip_blanks();
      read_item();
      skip_blanks();
    } while (skip(","));
    if (!skip(close)) {
      fail(std::string("`,` or `") + close + "`");
    }
  }

  Array read_array(int depth) {
    Array array;
    read_items("]", depth, [&] { array.push_back(read_value(depth)); });
    return array;
  }

  Object read_object(int depth) {
    Object object;
    read_items("}", depth, [&] {
      std::string key = read_string();
      skip_blanks();
      if (!skip(":")) {
        fail("`:`");
      }
      object.insert_or_assign(std::move(key), read_value(depth));
    });
    return object;
  }

  double read_number() {
    const char *begin = line.c_str() + at;
    if (*begin != '-' && (*begin < '0' || *begin > '9')) {
      fail("a value");
    }
    char *end;
    const double number = std::strtod(begin, &end);
    at += end - begin;
    return number;
  }

  std::string read_string() {
    if (!skip("\"")) {
      fail("`\"`");
    }
    std::string string;
    while (!skip("\"")) {
      const std::size_t stop = line.find_first_of("\"\\", at);
      if (stop == std::string::npos) {
        fail("`\"` after it");
      }
      string.append(line, at, stop - at);
      at = stop;
      if (skip("\\")) {
        read_escape(string);
      }
    }
    return string;
  }

  void read_escape(std::string &string) {
    static constexpr std::string_view names = "\"\\/bfnrt";
    static constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    const std::size_t name = names.find(peek());
    if (name != std::string_view::npos) {
      string += meanings[name];
      at++;
    } else if (skip("u")) {
      unsigned code = read_hex4();
      // Two surrogates are one character.
      if (code >= 0xD800 && code < 0xDC00 && skip("\\u")) {
        code = 0x10000 + ((code - 0xD800) << 10) +
               ((read_hex4() - 0xDC00) & 0x3FF);
      }
      append_utf8(string, code);
    } else {
      fail("an escape");
    }
  }

  unsigned read_hex4() {
    const std::string digits = line.substr(at, 4);
    if (digits.size() < 4 ||
        digits.find_first_not_of("0123456789abcdefABCDEF") !=
            std::string::npos) {
      fail("four hexadecimal digits");
    }
    at += 4;
    return static_cast<unsigned>(std::stoul(digits, nullptr, 16));
  }

  static void append_utf8(std::string &string, unsigned code) {
    const auto append = [&](unsigned byte) {
      string += static_cast<char>(byte);
    };
    if (code < 0x80) {
      append(code);
      return;
    }
    if (code < 0x800) {
      append(0xC0 | code >> 6);
    } else {
      if (code < 0x10000) {
        append(0xE0 | code >> 12);
      } else {
        append(0xF0 | code >> 18);
        append(0x80 | (code >> 12 & 0x3F));
      }
      append(0x80 | (code >> 6 & 0x3F));
    }
    append(0x80 | (code & 0x3F));
  }
};

// Each `get` sets a field to what stands in the message, where it does.

void get(const Json &json, int &field) {
  if (const auto *number = std::get_if<double>(&json.value)) {
    field = static_cast<int>(*number);
  }
}

void get(const Json &json, double &field) {
  if (const auto *number = std::get_if<double>(&json.value)) {
    field = *number;
  }
}

void get(const Json &json, bool &field) {
  if (const auto *truth = std::get_if<bool>(&json.value)) {
    field = *truth;
  }
}

// Words as they are; of other values the text.
void get(const Json &json, std::string &field) {
  const auto *string = std::get_if<std::string>(&json.value);
  field = string ? *string : std::string(json.text);
}

void get(const Json &json, arena::Move &move) {
  move.text = json.text;
  const auto *number = std::get_if<double>(&json.value);
  if (number && *number >= 0 && *number < 1000 &&
      *number == static_cast<int>(*number)) {
    move.pit = static_cast<int>(*number);
  }
}

void get(const Json &json, arena::Ply &ply) {
  get(json["ply"], ply.ply);
  get(json["seat"], ply.seat);
  get(json["move"], ply.move);
}

template <typename Value>
void get(const Json &json, std::optional<Value> &field) {
  if (!std::holds_alternative<std::nullptr_t>(json.value)) {
    get(json, field.emplace());
  }
}

template <typename Value>
void get(const Json &json, std::vector<Value> &field) {
  if (const auto *array = std::get_if<Array>(&json.value)) {
    for (const Json &element : *array) {
      get(element, field.emplace_back());
    }
  }
}

template <typename Value>
void get(const Json &json, std::map<std::string, Value> &field) {
  if (const auto *object = std::get_if<Object>(&json.value)) {
    for (const auto &[key, value] : *object) {
      get(value, field[key]);
    }
  }
}

void get(const Json &json, arena::Position &position) {
  if (!std::holds_alternative<Object>(json.value)) {
    return;
  }
  get(json["pits"], position.pits);
  get(json["to_move"], position.to_move);
  get(json["stores"], position.stores);
  get(json["captured"], position.captured);
  get(json["uur_owner"], position.uur_owner);
  get(json["active"], position.active);
  get(json["finished"], position.finished);
  get(json["left"], position.left);
}

arena::Start read_start(const Json &message) {
  arena::Start start;
  get(message["match"], start.match);
  get(message["game"], start.game);
  get(message["options"], start.options);
  get(message["seat"], start.seat);
  get(message["seats"], start.seats);
  get(message["names"], start.names);
  get(message["position"], start.position);
  get(message["seed"], start.seed);
  get(message["ponder"], start.ponder);
  return start;
}

arena::Turn read_turn(const Json &message) {
  arena::Turn turn;
  get(message["match"], turn.match);
  get(message["ply"], turn.ply);
  get(message["seat"], turn.seat);
  get(message["position"], turn.position);
  get(message["legal"], turn.legal);
  get(message["since"], turn.since);
  get(message["move_ms_max"], turn.move_ms_max);
  get(message["bank_ms"], turn.bank_ms);
  get(message["increment_ms"], turn.increment_ms);
  get(message["last_ms"], turn.last_ms);
  return turn;
}

} // namespace

// Plays match after match, until the arena says `quit` or closes the input.
int main() {
  std::ios::sync_with_stdio(false);
  std::cout.exceptions(std::ios::badbit | std::ios::failbit);
  arena::Start start;
  std::string line;
  while (std::getline(std::cin, line)) {
    const Json message = Reader(line).read_value();
    std::string type;
    get(message["type"], type);
    if (type == "hello") {
      std::cout << R"({"type":"hello","protocol":1})" << std::endl;
    } else if (type == "start") {
      start = read_start(message);
    } else if (type == "turn") {
      const arena::Turn turn = read_turn(message);
      const arena::Move move = choose_move(turn, start);
      std::cout << R"({"type":"move","move":)" << move.text << R"(,"ply":)"
                << turn.ply << "}" << std::endl;
    } else if (type == "quit") {
      break;
    } // `end`, `error`, or of a later release: needs no answer
  }
}
