// What arena.c does for the bot. Leave it alone.

#ifndef ARENA_H
#define ARENA_H

// A JSON value. All functions take NULL for a value that is absent.
typedef struct Json Json;

// The member of an object, or NULL.
const Json *json_get(const Json *object, const char *key);

// The element of an array, or NULL.
const Json *json_at(const Json *array, long index);

// The number of elements in an array; 0 for anything else.
long json_length(const Json *array);

// The whole number, or `otherwise` for anything else.
long json_long(const Json *value, long otherwise);

// The number, or `otherwise` for anything else.
double json_double(const Json *value, double otherwise);

// The string; empty for anything else.
const char *json_string(const Json *value);

// The value as the arena wrote it; empty for NULL.
const char *json_text(const Json *value);

// Prints a line to standard error; standard output belongs to the arena.
__attribute__((format(printf, 1, 2))) void arena_log(const char *format, ...);

// Yours, in bot.c.
const Json *choose_move(const Json *turn, const Json *start);

#endif
