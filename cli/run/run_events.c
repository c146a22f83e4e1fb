/*
 * run_events.c - events of a run: their list, their number by kind, and statistics of inner steps.
 *
 * With steppers that locate events these are exact and counted by the library; with others they are found by comparing
 * successive steps, if the list is requested (--events). The list has one line per event: JSON as in recordings, or CSV
 * if the file's name ends in .csv.
 */
#include "run/run.h"

#include "io/error.h"
#include "io/json_out.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Bins of the library's histogram of inner steps. */
enum { BINS_A_DECADE = 5 };
#define FIRST_BIN 1e-10 /* s */

/* ------------------------------------------------------------------ the list */

bool rg_run_events_alone(const RgRun *run)
{
    return run->plan.events && strcmp(run->plan.events, "-") == 0;
}

static bool is_csv(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcmp(dot, ".csv") == 0;
}

RgStatus rg_run_open_events(RgRun *run, RgError *error)
{
    RgEventList *list = &run->events;
    const char *path = run->plan.events;
    if (!path)
        return RG_OK;
    RgMessagesDef def = rg_messages_def_default();
    def.model = run->model;
    def.step = run->step;
    list->messages = rg_messages_create(&def, error);
    if (!list->messages)
        return error->status;
    list->csv = is_csv(path);
    list->file = rg_run_events_alone(run) ? stdout : fopen(path, "w");
    if (!list->file)
        return rg_error_set(error, RG_ERR_FILE, path, "cannot write: %s", strerror(errno));
    if (list->csv)
        fputs("t,uncertainty,kind,a,b,point_x,point_y,point_z,normal_x,normal_y,normal_z,value,impulse,joint,"
              "dof,force,contacts\n",
              list->file);
    return rg_run_record_events(run, error);
}

/* A name as a CSV field. */
static void put_name(FILE *file, const char *name)
{
    if (!strpbrk(name, ",\"\n\r")) {
        fputs(name, file);
        return;
    }
    fputc('"', file);
    for (const char *c = name; *c; c++) {
        if (*c == '"')
            fputc('"', file);
        fputc(*c, file);
    }
    fputc('"', file);
}

static void put_link(RgRun *run, uint32_t link)
{
    put_name(run->events.file,
             link == UINT32_MAX ? "world" : rg_plan_link_name(&run->plan, run->model, (RgLinkId){(int32_t)link + 1}));
    fputc(',', run->events.file);
}

static void put_csv(RgRun *run, const RgEvent *e)
{
    FILE *file = run->events.file;
    bool joint = e->joint >= 0, solve = e->kind == RG_EVENT_unfinished, made = e->attachment > 0, field = e->field > 0;
    fprintf(file, "%.17g,%.17g,%s,", e->t, e->uncertainty, rg_event_name(e->kind));
    if (joint || solve) {
        fputs(",,,,,,,,", file);
    } else {
        put_link(run, e->link_a);
        put_link(run, e->link_b);
        fprintf(file, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,", e->point.x, e->point.y, e->point.z, e->normal.x,
                e->normal.y, e->normal.z);
    }
    fprintf(file, "%.17g,%.17g,", e->value, e->impulse);
    if (joint)
        put_name(file, rg_plan_joint_name(&run->plan, run->model, (RgJointId){e->joint + 1}));
    if (made || field)
        put_name(file, e->name);
    fprintf(file, joint ? ",%d," : ",,", e->dof);
    if (made)
        fprintf(file, "%.17g,\n", e->force);
    else if (solve)
        fprintf(file, "%.17g,%d\n", e->force, e->contacts);
    else
        fputs(",\n", file);
}

static void add_event(const RgEvent *event, void *context)
{
    RgRun *run = context;
    run->events.counts[event->kind]++;
    if (run->events.csv)
        put_csv(run, event);
}

/* A line as in recordings; its kind is parsed for the count. */
static void write_line(const RgMessage *message, void *context)
{
    RgRun *run = context;
    fwrite(message->data, 1, message->size, run->events.file);
    fputc('\n', run->events.file);
    json_t *event = json_loadb(message->data, message->size, 0, NULL);
    const char *kind = json_string_value(json_object_get(event, "kind"));
    for (int i = 0; kind && i < RG_EVENT_COUNT; i++)
        run->events.counts[i] += strcmp(kind, rg_event_name((RgEventKind)i)) == 0;
    json_decref(event);
}

RgStatus rg_run_record_events(RgRun *run, RgError *error)
{
    RgEventList *list = &run->events;
    if (!list->file)
        return RG_OK;
    RgStatus status = list->csv ? rg_messages_events(list->messages, run->world, add_event, run)
                                : rg_messages_encode_events(list->messages, run->world, write_line, run);
    if (status != RG_OK)
        return rg_error_set(error, status, run->plan.events, "events: %s", rg_status_text(status));
    if (ferror(list->file))
        return rg_error_set(error, RG_ERR_FILE, run->plan.events, "cannot write: %s", strerror(errno));
    return RG_OK;
}

RgStatus rg_run_close_events(RgRun *run, RgError *error)
{
    RgEventList *list = &run->events;
    RgStatus status = RG_OK;
    errno = 0;
    if (list->file && (list->file == stdout ? fflush(stdout) : fclose(list->file)) != 0)
        status = rg_error_set(error, RG_ERR_FILE, run->plan.events, "cannot write: %s", strerror(errno));
    list->closed = list->closed || list->file != NULL;
    list->file = NULL;
    rg_messages_destroy(list->messages);
    list->messages = NULL;
    return status;
}

/* ------------------------------------------------------------------ counts */

bool rg_run_counts_events(const RgRun *run)
{
    return rg_world_locates(run->world) || run->events.closed || run->events.file != NULL;
}

/* Events by kind, counted by the library if it locates them. */
static void count_events(const RgRun *run, long long counts[RG_EVENT_COUNT])
{
    RgStepStatistics s = rg_world_step_statistics(run->world);
    for (int i = 0; i < RG_EVENT_COUNT; i++)
        counts[i] = rg_world_locates(run->world) ? s.events[i] : run->events.counts[i];
}

/* "touch 3, impact 2", of those that are not 0; "none". */
static void print_counts(FILE *out, const long long *counts, int n, const char *(*name)(int))
{
    bool any = false;
    for (int i = 0; i < n; i++) {
        if (counts[i] == 0)
            continue;
        fprintf(out, "%s%s %lld", any ? ", " : "", name(i), counts[i]);
        any = true;
    }
    fputs(any ? "\n" : "none\n", out);
}

static const char *event_name(int i)
{
    return rg_event_name((RgEventKind)i);
}

static const char *cut_name(int i)
{
    return rg_cut_name((RgCut)i);
}

static long long sum_of(const long long *counts, int n)
{
    long long sum = 0;
    for (int i = 0; i < n; i++)
        sum += counts[i];
    return sum;
}

void rg_run_print_events(const RgRun *run, FILE *out)
{
    RgStepStatistics s = rg_world_step_statistics(run->world);
    long long events[RG_EVENT_COUNT], cuts[RG_CUT_COUNT], rejected[RG_CUT_COUNT];
    for (int i = 0; i < RG_CUT_COUNT; i++) {
        cuts[i] = s.cut[i];
        rejected[i] = s.rejected[i];
    }
    if (s.steps > 0) {
        fprintf(out, "inner steps    %lld: mean %.4g s, least %.4g s, most %.4g s\n", (long long)s.steps,
                s.time / (double)s.steps, s.least, s.most);
        fputs("  ended by     ", out);
        print_counts(out, cuts, RG_CUT_COUNT, cut_name);
        fprintf(out, "  rejected     %lld%s", sum_of(rejected, RG_CUT_COUNT),
                sum_of(rejected, RG_CUT_COUNT) > 0 ? ": " : "\n");
        if (sum_of(rejected, RG_CUT_COUNT) > 0)
            print_counts(out, rejected, RG_CUT_COUNT, cut_name);
        fprintf(out, "  manifolds    %lld changes, %lld open normals\n", (long long)s.manifold_changes,
                (long long)s.degenerate);
        if (isfinite(s.least_distance))
            fprintf(out, "  distance     %.6g m at least%s\n", s.least_distance,
                    s.plain > 0 ? ", outside plain steps" : "");
        if (s.plain > 0)
            fprintf(out, "  plain        %lld of them, %.6g s: no event is located, nothing is proven within\n",
                    (long long)s.plain, s.plain_time);
    }
    if (!rg_run_counts_events(run))
        return;
    count_events(run, events);
    fputs("events         ", out);
    print_counts(out, events, RG_EVENT_COUNT, event_name);
}

static json_t *json_counts(const long long *counts, int n, const char *(*name)(int))
{
    json_t *out = json_object();
    for (int i = 0; i < n; i++)
        json_object_set_new(out, name(i), json_integer(counts[i]));
    return out;
}

/* Bins from the first to the last that is not empty. */
static json_t *json_histogram(const RgStepStatistics *s)
{
    json_t *out = json_array();
    int first = 0, last = RG_STEP_BINS - 1;
    while (first < RG_STEP_BINS && s->bins[first] == 0)
        first++;
    while (last > first && s->bins[last] == 0)
        last--;
    for (int i = first; i <= last && first < RG_STEP_BINS; i++) {
        json_t *bin = json_object();
        json_object_set_new(bin, "from", rg_json_number(FIRST_BIN * pow(10.0, i / (double)BINS_A_DECADE)));
        json_object_set_new(bin, "to", rg_json_number(FIRST_BIN * pow(10.0, (i + 1) / (double)BINS_A_DECADE)));
        json_object_set_new(bin, "steps", json_integer(s->bins[i]));
        json_array_append_new(out, bin);
    }
    return out;
}

json_t *rg_run_json_inner_steps(const RgRun *run)
{
    RgStepStatistics s = rg_world_step_statistics(run->world);
    if (!rg_world_locates(run->world))
        return json_null();
    json_t *out = json_object();
    long long cuts[RG_CUT_COUNT], rejected[RG_CUT_COUNT];
    for (int i = 0; i < RG_CUT_COUNT; i++) {
        cuts[i] = s.cut[i];
        rejected[i] = s.rejected[i];
    }
    RG_JSON_SET(
        out, {"count", json_integer(s.steps)}, {"mean", rg_json_number(s.steps > 0 ? s.time / (double)s.steps : NAN)},
        {"least", rg_json_number(s.steps > 0 ? s.least : NAN)}, {"most", rg_json_number(s.steps > 0 ? s.most : NAN)},
        {"histogram", json_histogram(&s)}, {"ended_by", json_counts(cuts, RG_CUT_COUNT, cut_name)},
        {"rejected", json_counts(rejected, RG_CUT_COUNT, cut_name)},
        {"rejections", json_integer(sum_of(rejected, RG_CUT_COUNT))},
        {"manifold_changes", json_integer(s.manifold_changes)}, {"degenerate", json_integer(s.degenerate)},
        {"least_distance", rg_json_number(s.least_distance)}, {"plain", json_integer(s.plain)},
        {"plain_time", rg_json_number(s.plain_time)});
    return out;
}

json_t *rg_run_json_events(const RgRun *run)
{
    long long counts[RG_EVENT_COUNT];
    if (!rg_run_counts_events(run))
        return json_null();
    count_events(run, counts);
    return json_counts(counts, RG_EVENT_COUNT, event_name);
}

json_t *rg_run_json_stepper_settings(const RgRun *run)
{
    json_t *out = json_object();
    char text[64];
    for (int i = 0; i < rg_setting_count(); i++) {
        RgSettingInfo info = rg_setting_info(i);
        bool is_own = strncmp(info.key, "stepper.", 8) == 0 && info.users[0] != '\0';
        if (!is_own || !rg_setting_applies(i, &run->settings))
            continue;
        rg_setting_print(i, &run->settings, text, sizeof text);
        json_object_set_new(out, rg_plan_key_name(info.key), json_string(text));
    }
    return out;
}
