/*
 * cmd_verify.c - `rigor verify FILE|-...`: checks certificates of `rigor run --certificate`, by code independent of the
 * steppers.
 */
#include "io/command.h"
#include "io/error.h"
#include "io/json_out.h"
#include "io/options.h"
#include "io/progress.h"
#include "io/read_input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const RgOptionSpec verify_options[] = {
    {"max-intervals", "N", "intervals of a step that the proof for one pair may use, at most (default 4000)"},
    {"tolerance", "X", "overlaps up to this part of the shapes' size are ignored (default 1e-12)"},
    {"json", "OUT|-", "write the result as JSON, - for the standard output instead of the text"},
    {"quiet", NULL, "no progress and no text"},
};

static void show(double part, void *context)
{
    rg_progress_update(context, part);
}

static void print_faults(const RgVerifyReport *r)
{
    if (r->jumps > 0)
        printf("jumps          %lld\n", (long long)r->jumps);
    if (r->false_events > 0)
        printf("false events   %lld\n", (long long)r->false_events);
    if (r->false_claims > 0)
        printf("false claims   %lld\n", (long long)r->false_claims);
    if (r->fault[0])
        printf("first fault    %s, t = %.9g s, line %d\n", r->fault, r->fault_time, r->fault_line);
}

static void print_report(const char *path, const RgVerifyReport *r)
{
    printf("%s: %s, stepper %s\n", path, r->model[0] ? r->model : "no name", r->stepper);
    printf("steps          %lld, %.9g s, %lld events\n", (long long)r->steps, r->time, (long long)r->events);
    if (r->plain > 0)
        printf("plain          %lld of the steps, %.6g s: nothing is claimed within them; least distance at "
               "their "
               "ends %.6g m\n",
               (long long)r->plain, r->plain_time, r->plain_distance);
    if (r->pushes > 0)
        printf("pushes         %lld of the steps took no time, by %.3g m at most\n", (long long)r->pushes,
               r->largest_push);
    printf("pairs          %lld checked over all steps, %lld near, %lld distances measured\n", (long long)r->pairs,
           (long long)r->near, (long long)r->samples);
    printf("proven         %lld apart at all times, %lld not proven\n", (long long)r->proven, (long long)r->unproven);
    if (isfinite(r->min_distance))
        printf("least distance %.9g m at t = %.9g s, shapes %d '%s' and %d '%s'\n", r->min_distance, r->at, r->shape_a,
               r->name_a, r->shape_b, r->name_b);
    else
        printf("least distance nothing was near\n");
    if (isfinite(r->min_bound))
        printf("proven bound   %.9g m%s\n", r->min_bound, r->unproven > 0 ? ", where proven" : "");
    printf("missed         %lld contacts\n", (long long)r->missed);
    print_faults(r);
    if (r->ok || r->steps == 0 || !r->holds || r->plain == 0)
        printf("%s\n", r->ok ? "ok" : r->steps == 0 ? "NOT ok: no step was made" : "NOT ok");
    else
        printf("NOT ok: all claims hold, but %lld of %lld steps (%.6g s) are plain, and nothing is "
               "claimed within them\n",
               (long long)r->plain, (long long)r->steps, r->plain_time);
}

static json_t *json_report(const char *path, const RgVerifyReport *r)
{
    json_t *o = RG_JSON_OBJECT(
        {"file", rg_json_text(path)}, {"ok", json_boolean(r->ok)}, {"holds", json_boolean(r->holds)},
        {"model", rg_json_text(r->model)}, {"stepper", rg_json_text(r->stepper)}, {"steps", json_integer(r->steps)},
        {"plain", json_integer(r->plain)}, {"plain_time", rg_json_number(r->plain_time)},
        {"plain_distance", rg_json_number(r->plain_distance)}, {"pushes", json_integer(r->pushes)},
        {"largest_push", rg_json_number(r->largest_push)}, {"time", rg_json_number(r->time)},
        {"min_distance", rg_json_number(r->min_distance)}, {"min_bound", rg_json_number(r->min_bound)},
        {"missed", json_integer(r->missed)}, {"untold", json_integer(r->untold)},
        {"false_events", json_integer(r->false_events)}, {"false_claims", json_integer(r->false_claims)},
        {"jumps", json_integer(r->jumps)}, {"events", json_integer(r->events)}, {"pairs", json_integer(r->pairs)},
        {"near", json_integer(r->near)}, {"proven", json_integer(r->proven)}, {"unproven", json_integer(r->unproven)},
        {"samples", json_integer(r->samples)});
    json_t *worst = json_null();
    if (r->shape_a >= 0)
        worst = json_pack("{s:o, s:[i,i], s:[o,o]}", "t", rg_json_number(r->at), "shapes", r->shape_a, r->shape_b,
                          "names", rg_json_text(r->name_a), rg_json_text(r->name_b));
    json_object_set_new(o, "worst", worst);
    json_t *fault = json_null();
    if (r->fault[0])
        fault = json_pack("{s:o, s:o, s:i}", "text", rg_json_text(r->fault), "t", rg_json_number(r->fault_time), "line",
                          r->fault_line);
    json_object_set_new(o, "fault", fault);
    return o;
}

static bool read_options(const RgOptions *options, RgVerifyOptions *out)
{
    double intervals = out->max_intervals;
    if (!rg_options_number(options, "max-intervals", 1, 1e9, &intervals) ||
        !rg_options_number(options, "tolerance", 0, 1, &out->tolerance))
        return false;
    if (intervals != floor(intervals))
        return rg_options_complain(options, "--max-intervals: expected a whole number");
    out->max_intervals = (int)intervals;
    return true;
}

/* A file, or "-" for the standard input. */
static RgStatus verify_one(const char *path, const RgVerifyOptions *options, RgVerifyReport *report, RgError *error)
{
    if (strcmp(path, "-") != 0)
        return rg_verify_file(path, options, report, error);
    size_t size = 0;
    char *text = rg_read_input(&size);
    if (!text)
        return rg_error_set(error, RG_ERR_FILE, "stdin", "cannot be read");
    RgStatus status = rg_verify_text("stdin", text, size, options, report, error);
    free(text);
    return status;
}

/* Verifies one file; results may be NULL. Exit code. */
static int verify_file(const RgOptions *options, const RgVerifyOptions *settings, const char *path, json_t *results)
{
    const char *json = rg_options_value(options, "json");
    bool quiet = rg_options_has(options, "quiet"), alone = json && strcmp(json, "-") == 0;
    RgVerifyOptions with_progress = *settings;
    RgProgress progress = rg_progress_begin_part(quiet);
    with_progress.progress = show;
    with_progress.context = &progress;
    RgVerifyReport report = {.ok = false};
    RgError error = {0};
    RgStatus status = verify_one(path, &with_progress, &report, &error);
    rg_progress_end(&progress);
    if (status != RG_OK) {
        rg_error_print(&error);
        return RG_EXIT_USAGE;
    }
    if (!quiet && !alone)
        print_report(path, &report);
    if (results)
        json_array_append_new(results, json_report(path, &report));
    return report.ok ? RG_EXIT_OK : RG_EXIT_FAILED;
}

static int verify_run(const RgOptions *options)
{
    RgVerifyOptions settings = rg_verify_options_default();
    const char *json = rg_options_value(options, "json");
    if (!read_options(options, &settings))
        return RG_EXIT_USAGE;
    json_t *results = json ? json_array() : NULL;
    int code = RG_EXIT_OK;
    for (int i = 0; i < options->nfiles; i++) {
        int own = verify_file(options, &settings, options->files[i], results);
        code = own > code ? own : code;
    }
    if (results && json_array_size(results) > 0) {
        json_t *out = json_array_size(results) == 1 ? json_incref(json_array_get(results, 0)) : json_incref(results);
        if (!rg_json_write(out, json))
            code = RG_EXIT_FAILED;
    }
    json_decref(results);
    return code;
}

RG_COMMAND(verify, "check a certificate: no two shapes overlapped at any time", .run = verify_run,
           .notes =
               "Every pair of shapes that may touch is measured at nine times of every step, and proven apart at all "
               "times\n"
               "between, by planes whose heights are bounded with outward rounding. Missed contacts are overlaps, and\n"
               "meetings that no event tells of. Events and the claims of steps are compared with what is measured.\n"
               "FILE - is the standard input: rigor run MODEL --stepper rigid --certificate - | rigor verify -\n"
               "The format is in docs/certificate.md.\n"
               "Exit code 0: nothing was missed, no body jumped, everything is proven, no step is plain; 1: not so;\n"
               "2: not a whole certificate.\n",
           .max_files = RG_OPTIONS_FILES_ANY, .expects = "a certificate");
