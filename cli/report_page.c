/*
 * report_page.c - the report of a run: the viewer's page with a recording in it.
 *
 *   page up to its last </body> | <script type="application/json" id="rigor-report"> JSON </script> | rest of the page
 *
 *   JSON: {"recording": base64 of the MCAP file, "name", "version", "summary": {...}, "settings": {...}}
 *
 * In the JSON every '<' is written as \u003c: no text of a model can end the element. The recording is written to a
 * file for temporary things while the run goes on, so that memory stays bounded, and copied into the report at its end
 * in pieces. The report appears under its name when it is whole.
 *
 * A report is to be mailed and opened at once: it has FRAMES_MAX frames at most, spread over the run, unless --every or
 * --record-rate ask for others.
 */
#define _XOPEN_SOURCE 700
#include "report.h"

#include "json_out.h"
#include "page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRAME_RATE 60.0 /* a second of simulated time, at most */

enum { FRAMES_MAX = 6000, PIECE = 3 << 14 };

bool rg_report_possible(const RgPlan *plan)
{
    return !plan->report || rg_page_present("run --report");
}

const char *rg_report_recording(RgRun *run)
{
    const char *folder = getenv("TMPDIR");
    if (!run->plan.report)
        return NULL;
    char *path =
        rg_pool_print(&run->plan.pool, "%s/rigor-report-XXXXXX", folder && folder[0] ? folder : "/tmp");
    int made = mkstemp(path);
    if (made >= 0)
        close(made);
    return path;
}

int rg_report_every(const RgRun *run)
{
    double rate = fmin(FRAME_RATE, FRAMES_MAX / fmax(run->duration, 1e-9));
    if (run->plan.every > 0)
        return run->plan.every;
    if (!isnan(run->plan.record_rate))
        rate = run->plan.record_rate;
    return (int)fmin(fmax(1.0, ceil(1.0 / (rate * run->step) - 1e-9)), RG_PLAN_EVERY_MAX);
}

/* ------------------------------------------------------------------ writing */

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

/* A piece of JSON, with what could end the element written otherwise. */
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

/* One member behind others. Gives the value back. */
static bool put_member(FILE *out, const char *name, json_t *value)
{
    bool good = value && fprintf(out, ",\n\"%s\":", name) > 0 &&
                json_dump_callback(value, put_safely, out, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17)) == 0;
    json_decref(value);
    return good;
}

/* Where the last </body> begins; the end if there is none. */
static size_t body_end(const char *page, size_t size)
{
    static const char mark[] = "</body>";
    size_t length = sizeof mark - 1;
    for (size_t at = size < length ? 0 : size - length + 1; at-- > 0;)
        if (memcmp(page + at, mark, length) == 0)
            return at;
    return size;
}

static bool put_report(RgRun *run, FILE *recording, FILE *out)
{
    size_t size;
    const char *page = rg_page_bytes(&size);
    size_t split = body_end(page, size);
    return fwrite(page, 1, split, out) == split &&
           fputs("<script type=\"application/json\" id=\"rigor-report\">{\"recording\":\"", out) != EOF &&
           copy_base64(recording, out) && fputc('"', out) != EOF &&
           put_member(out, "name", rg_json_text(rg_model_info(run->model).name)) &&
           put_member(out, "version", rg_json_text(rg_version())) &&
           put_member(out, "summary", rg_report_summary(run)) &&
           put_member(out, "settings", rg_report_settings(run)) && fputs("}</script>\n", out) != EOF &&
           fwrite(page + split, 1, size - split, out) == size - split;
}

/* The file behind links, if it is there. */
static const char *resolve(RgRun *run)
{
    char *real = realpath(run->plan.report, NULL);
    const char *path = rg_pool_print(&run->plan.pool, "%s", real ? real : run->plan.report);
    free(real);
    return path;
}

/* Where it is written first: beside its name, or there at once where that is no regular file (a device, a pipe). */
static const char *first_place(RgRun *run, const char *path)
{
    struct stat at;
    bool special = stat(path, &at) == 0 && !S_ISREG(at.st_mode);
    return special ? path : rg_pool_print(&run->plan.pool, "%s.part", path);
}

bool rg_report_write(RgRun *run)
{
    const char *path = resolve(run), *part = first_place(run, path);
    errno = 0;
    FILE *recording = fopen(run->outputs[RG_RUN_REPORT].path, "rb"),
         *out = recording ? fopen(part, "wb") : NULL;
    bool good = out && put_report(run, recording, out);
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

void rg_report_discard(RgRun *run)
{
    if (run->outputs[RG_RUN_REPORT].path)
        unlink(run->outputs[RG_RUN_REPORT].path);
    run->outputs[RG_RUN_REPORT].path = NULL;
}
