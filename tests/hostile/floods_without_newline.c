/* Says hello once it has read a line, and plays its first turn with a line that has no end, as fast as it can be written. */

#include <string.h>
#include <unistd.h>

static char line[1 << 20];

/* Reads up to the end of a line that begins like a message of this type. */
static void read_until(const char *type)
{
    size_t length = 0;
    char byte;
    while (read(0, &byte, 1) == 1) {
        if (byte != '\n') {
            line[length] = byte;
            length += length < sizeof line - 1;
            continue;
        }
        line[length] = '\0';
        length = 0;
        if (strstr(line, type))
            return;
    }
    _exit(0);
}

int main(void)
{
    static const char hello[] = "{\"type\":\"hello\",\"protocol\":1}\n";
    read_until("");
    if (write(1, hello, sizeof hello - 1) < 0)
        return 1;
    read_until("\"type\":\"turn\"");
    memset(line, 'x', sizeof line);
    while (write(1, line, sizeof line) > 0)
        ;
    return 0;
}
