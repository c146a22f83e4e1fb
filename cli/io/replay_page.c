/*
 * replay_page.c - a page that plays a recording: the viewer's page with the recording in it.
 *
 *   page up to its last </body> | <script type="application/json" id="rigor-report"> JSON </script> | rest of the page
 *
 *   JSON: {"recording": base64 of the MCAP file, "name", "version", "summary": {...}, "settings": {...}}
 *
 * In the JSON every '<' is written as \u003c: no text of a model can end the element. The recording is copied in
 * pieces. The page is written to a temporary file that is renamed when complete.
 */
#define _XOPEN_SOURCE 700
#include "io/replay_page.h"

#include "io/json_out.h"
#include "io/page.h"
#include "io/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 3 << 14 };

/* The file in base64 (RFC 4648). */
static bool copy_base64(FILE *in, FILE *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char bytes[PIECE];
    char text[PIECE / 3 * 4];
    size_t n;
    while ((n = fread(bytes, 1, sizeof bytes, in)) > 0) {
        size_t used = 0;
        for (size_t i = 0; i < n; i += 3) {
            unsigned b0 = bytes[i], b1 = i + 1 < n ? bytes[i + 1] : 0, b2 = i + 2 < n ? bytes[i + 2] : 0;
            text[used++] = digits[b0 >> 2];
            text[used++] = digits[(b0 & 3) << 4 | b1 >> 4];
            text[used++] = i + 1 < n ? digits[(b1 & 15) << 2 | b2 >> 6] : '=';
            text[used++] = i + 2 < n ? digits[b2 & 63] : '=';
        }
        if (fwrite(text, 1, used, out) != used)
            return false;
    }
    return !ferror(in);
}

/* A piece of JSON, with '<' escaped. */
static int put_safely(const char *text, size_t size, void *context)
{
    FILE *out = context;
    for (size_t i = 0; i < size; i++) {
        int put = text[i] == '<' ? fputs("\\u003c", out) : fputc(text[i], out);
        if (put == EOF)
            return -1;
    }
    return 0;
}

/* A further member of the object. Releases the value. */
static bool put_member(FILE *out, const char *name, json_t *value)
{
    bool good = value && fprintf(out, ",\n\"%s\":", name) > 0 &&
                json_dump_callback(value, put_safely, out, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17)) == 0;
    json_decref(value);
    return good;
}

/* Offset of the last </body>; size if there is none. */
static size_t body_end(const char *page, size_t size)
{
    static const char mark[] = "</body>";
    size_t length = sizeof mark - 1;
    for (size_t at = size < length ? 0 : size - length + 1; at-- > 0;)
        if (memcmp(page + at, mark, length) == 0)
            return at;
    return size;
}

static bool put_page(const RgReplay *replay, FILE *recording, FILE *out)
{
    size_t size;
    const char *page = rg_page_bytes(&size);
    size_t split = body_end(page, size);
    return fwrite(page, 1, split, out) == split &&
           fputs("<script type=\"application/json\" id=\"rigor-report\">{\"recording\":\"", out) != EOF &&
           copy_base64(recording, out) && fputc('"', out) != EOF &&
           put_member(out, "name", rg_json_text(replay->name)) &&
           put_member(out, "version", rg_json_text(rg_version())) &&
           put_member(out, "summary", json_incref(replay->summary)) &&
           put_member(out, "settings", json_incref(replay->settings)) && fputs("}</script>\n", out) != EOF &&
           fwrite(page + split, 1, size - split, out) == size - split;
}

/* The target of symbolic links, if the file exists. */
static const char *resolve(RgPool *pool, const char *wanted)
{
    char *real = realpath(wanted, NULL);
    const char *path = rg_pool_print(pool, "%s", real ? real : wanted);
    free(real);
    return path;
}

/* Path of the temporary file beside the page; the path itself for a device or a pipe. */
static const char *first_place(RgPool *pool, const char *path)
{
    struct stat at;
    bool special = stat(path, &at) == 0 && !S_ISREG(at.st_mode);
    return special ? path : rg_pool_print(pool, "%s.part", path);
}

static bool write_page(const RgReplay *replay, RgPool *pool)
{
    const char *path = resolve(pool, replay->path), *part = first_place(pool, path);
    errno = 0;
    FILE *recording = fopen(replay->recording, "rb"), *out = recording ? fopen(part, "wb") : NULL;
    bool good = out && put_page(replay, recording, out);
    if (recording)
        fclose(recording);
    if (out)
        good = fclose(out) == 0 && good;
    if (good && part != path)
        good = rename(part, path) == 0;
    if (!good) {
        fprintf(stderr, "rigor: cannot write the report to '%s'%s%s\n", path, errno ? ": " : "",
                errno ? strerror(errno) : "");
        if (out && part != path)
            unlink(part);
    }
    return good;
}

bool rg_replay_write(const RgReplay *replay)
{
    RgPool pool = {NULL};
    bool good = write_page(replay, &pool);
    rg_pool_free(&pool);
    json_decref(replay->summary);
    json_decref(replay->settings);
    return good;
}
