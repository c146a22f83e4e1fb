/*
 * key_path.c - reads paths step by step.
 *
 * Fails on: an empty path or name, an unclosed bracket or quote, an index that is no whole number.
 */
#include "io/key_path.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { INDEX_MAX = 1000000 };

static RgPathStep wrong(const char *text)
{
    return (RgPathStep){.kind = RG_PATH_WRONG, .wrong = text};
}

static RgPathStep read_index(const char *at)
{
    char *end;
    long index = isdigit((unsigned char)at[1]) ? strtol(at + 1, &end, 10) : -1;
    if (index < 0 || index > INDEX_MAX || *end != ']')
        return wrong("expected a whole number and ] after [");
    return (RgPathStep){.kind = RG_PATH_INDEX, .index = (int)index, .rest = end + 1};
}

RgPathStep rg_path_step(const char *at, bool first)
{
    RgPathStep s = {.kind = RG_PATH_NAME};
    if (*at == '\0')
        return first ? wrong("it is empty") : (RgPathStep){.kind = RG_PATH_END, .rest = at};
    if (*at == '[')
        return first ? wrong("expected a name") : read_index(at);
    if (!first && *at != '.')
        return wrong("expected . or [ after a name");
    at += first ? 0 : 1;
    bool quoted = *at == '"';
    at += quoted ? 1 : 0;
    size_t n = quoted ? strcspn(at, "\"") : strcspn(at, ".[]\"");
    if (n == 0 || n >= RG_PATH_NAME_MAX)
        return wrong("expected a name of 1 to 255 letters");
    if (quoted && at[n] != '"')
        return wrong("a quote is not closed");
    memcpy(s.name, at, n);
    s.kind = !quoted && strcmp(s.name, "*") == 0 ? RG_PATH_ALL : RG_PATH_NAME;
    s.rest = at + n + (quoted ? 1 : 0);
    return s;
}

const char *rg_path_wrong(const char *path)
{
    RgPathStep s = rg_path_step(path, true);
    while (s.kind != RG_PATH_END && s.kind != RG_PATH_WRONG)
        s = rg_path_step(s.rest, false);
    return s.kind == RG_PATH_WRONG ? s.wrong : NULL;
}
