// Reads messages, asks the bot for its moves, answers. Leave this file alone.

#define _POSIX_C_SOURCE 200809L

#include "arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64 };

typedef enum {
  JSON_LITERAL,
  JSON_NUMBER,
  JSON_STRING,
  JSON_ARRAY,
  JSON_OBJECT
} Kind;

struct Json {
  Kind kind;
  char *text;    // as the arena wrote it
  char *key;     // of a member, else NULL
  char *string;  // of a JSON_STRING, else NULL
  double number; // of a JSON_NUMBER
  long length;   // of a JSON_ARRAY or JSON_OBJECT, and its first item
  Json *first;
  Json *next; // the next item of the same array or object
};

// ---- Errors: said on standard error, and the end.

void arena_log(const char *format, ...) {
  va_list values;
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fputc('\n', stderr);
}

static _Noreturn void fail(const char *expected, const char *at) {
  arena_log("expected %s, found `%.20s`", expected, at);
  exit(EXIT_FAILURE);
}

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (memory == NULL) {
    perror("cannot allocate memory");
    exit(EXIT_FAILURE);
  }
  return memory;
}

// ---- Reading JSON: each function moves `*at` behind what it has read.

static Json *read_value(const char **at, int depth);

static void skip_blanks(const char **at) { *at += strspn(*at, " \t\r\n"); }

static bool skip(const char **at, char expected) {
  skip_blanks(at);
  if (**at != expected) {
    return false;
  }
  ++*at;
  return true;
}

static unsigned read_hex4(const char **at) {
  if (strspn(*at, "0123456789abcdefABCDEF") < 4) {
    fail("four hexadecimal digits", *at);
  }
  const char digits[] = {(*at)[0], (*at)[1], (*at)[2], (*at)[3], '\0'};
  *at += 4;
  return (unsigned)strtoul(digits, NULL, 16);
}

static char *append_utf8(char *end, unsigned code) {
  if (code < 0x80) {
    *end++ = (char)code;
  } else if (code < 0x800) {
    *end++ = (char)(0xC0 | code >> 6);
    *end++ = (char)(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    *end++ = (char)(0xE0 | code >> 12);
    *end++ = (char)(0x80 | (code >> 6 & 0x3F));
    *end++ = (char)(0x80 | (code & 0x3F));
  } else {
    *end++ = (char)(0xF0 | code >> 18);
    *end++ = (char)(0x80 | (code >> 12 & 0x3F));
    *end++ = (char)(0x80 | (code >> 6 & 0x3F));
    *end++ = (char)(0x80 | (code & 0x3F));
  }
  return end;
}

static char *append_escape(char *end, const char **at) {
  static const char names[] = "\"\\/bfnrt";
  static const char meanings[] = "\"\\/\b\f\n\r\t";
  const char *name = **at != '\0' ? strchr(names, **at) : NULL;
  if (name != NULL) {
    ++*at;
    *end++ = meanings[name - names];
    return end;
  }
  if (**at != 'u') {
    fail("an escape", *at);
  }
  ++*at;
  unsigned code = read_hex4(at);
  // Two surrogates are one character.
  if (code >= 0xD800 && code < 0xDC00 && (*at)[0] == '\\' && (*at)[1] == 'u') {
    *at += 2;
    const unsigned low = read_hex4(at);
    if (low < 0xDC00 || low > 0xDFFF) {
      fail("the second half of a surrogate pair", *at - 4);
    }
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  return append_utf8(end, code);
}

static char *read_string(const char **at) {
  if (!skip(at, '"')) {
    fail("`\"`", *at);
  }
  // What an escape means is never longer than the escape.
  size_t size = 1;
  for (const char *c = *at; *c != '"' && *c != '\0'; c++, size++) {
    if (*c == '\\' && c[1] != '\0') {
      c++;
      size++;
    }
  }
  char *string = allocate(size, 1);
  char *end = string;
  while (**at != '"') {
    if (**at == '\0') {
      fail("`\"`", *at);
    } else if (**at == '\\') {
      ++*at;
      end = append_escape(end, at);
    } else {
      *end++ = *(*at)++;
    }
  }
  ++*at;
  return string;
}

static void read_items(Json *parent, const char **at, int depth) {
  const bool is_object = parent->kind == JSON_OBJECT;
  const char close = is_object ? '}' : ']';
  if (depth > DEPTH_MAX) {
    fail("less depth", *at);
  }
  ++*at;
  if (skip(at, close)) {
    return;
  }
  Json **end = &parent->first;
  do {
    char *key = is_object ? read_string(at) : NULL;
    if (is_object && !skip(at, ':')) {
      fail("`:`", *at);
    }
    *end = read_value(at, depth);
    (*end)->key = key;
    end = &(*end)->next;
    parent->length++;
  } while (skip(at, ','));
  if (!skip(at, close)) {
    fail(is_object ? "`,` or `}`" : "`,` or `]`", *at);
  }
}

static void read_literal(const char **at) {
  static const char *const literals[] = {"true", "false", "null"};
  for (size_t i = 0; i < sizeof literals / sizeof *literals; i++) {
    const size_t length = strlen(literals[i]);
    if (strncmp(*at, literals[i], length) == 0) {
      *at += length;
      return;
    }
  }
  fail("a value", *at);
}

static Json *read_value(const char **at, int depth) {
  skip_blanks(at);
  const char *begin = *at;
  Json *value = allocate(1, sizeof *value);
  if (*begin == '{' || *begin == '[') {
    value->kind = *begin == '{' ? JSON_OBJECT : JSON_ARRAY;
    read_items(value, at, depth + 1);
  } else if (*begin == '"') {
    value->kind = JSON_STRING;
    value->string = read_string(at);
  } else if (*begin == '-' || (*begin >= '0' && *begin <= '9')) {
    char *end;
    value->kind = JSON_NUMBER;
    value->number = strtod(begin, &end);
    *at = end;
  } else {
    value->kind = JSON_LITERAL;
    read_literal(at);
  }
  value->text = strndup(begin, (size_t)(*at - begin));
  if (value->text == NULL) {
    fail("memory", begin);
  }
  return value;
}

static void free_json(Json *value) {
  while (value != NULL) {
    Json *next = value->next;
    free_json(value->first);
    free(value->text);
    free(value->key);
    free(value->string);
    free(value);
    value = next;
  }
}

// ---- Looking at JSON.

const Json *json_get(const Json *object, const char *key) {
  if (object == NULL || object->kind != JSON_OBJECT) {
    return NULL;
  }
  const Json *member = object->first;
  while (member != NULL && strcmp(member->key, key) != 0) {
    member = member->next;
  }
  return member;
}

const Json *json_at(const Json *array, long index) {
  if (index < 0 || index >= json_length(array)) {
    return NULL;
  }
  const Json *element = array->first;
  while (index-- > 0) {
    element = element->next;
  }
  return element;
}

long json_length(const Json *array) {
  return array != NULL && array->kind == JSON_ARRAY ? array->length : 0;
}

long json_long(const Json *value, long otherwise) {
  const double number = json_double(value, 0.5);
  const bool is_whole =
      number > -1e15 && number < 1e15 && number == (double)(long)number;
  return is_whole ? (long)number : otherwise;
}

double json_double(const Json *value, double otherwise) {
  return value != NULL && value->kind == JSON_NUMBER ? value->number
                                                     : otherwise;
}

const char *json_string(const Json *value) {
  return value != NULL && value->kind == JSON_STRING ? value->string : "";
}

const char *json_text(const Json *value) {
  return value != NULL ? value->text : "";
}

// ---- Playing.

static void answer(const Json *turn, const Json *start) {
  const Json *move = choose_move(turn, start);
  if (move == NULL) {
    fail("a move from choose_move", "NULL");
  }
  const long ply = json_long(json_get(turn, "ply"), 0);
  printf("{\"type\":\"move\",\"move\":%s,\"ply\":%ld}\n", json_text(move), ply);
}

// Plays match after match, until the arena says `quit` or closes the input.
int main(void) {
  Json *start = NULL;
  char *line = NULL;
  size_t size = 0;
  bool quit = false;
  while (!quit && getline(&line, &size, stdin) > 0) {
    const char *at = line;
    Json *message = read_value(&at, 0);
    const char *type = json_string(json_get(message, "type"));
    if (strcmp(type, "hello") == 0) {
      puts("{\"type\":\"hello\",\"protocol\":1}");
    } else if (strcmp(type, "start") == 0) {
      free_json(start);
      start = message;
      message = NULL;
    } else if (strcmp(type, "turn") == 0) {
      answer(message, start);
    } else if (strcmp(type, "quit") == 0) {
      quit = true;
    } // `end`, `error`, or of a later release: needs no answer
    free_json(message);
    if (fflush(stdout) != 0) {
      perror("cannot write");
      return EXIT_FAILURE;
    }
  }
  free_json(start);
  free(line);
  return EXIT_SUCCESS;
}
