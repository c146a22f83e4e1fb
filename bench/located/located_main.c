/* located_main.c - rigor-bench-located: options and commands; see located.h. */
#define _POSIX_C_SOURCE 200809L
#include "located.h"

#include <stdlib.h>
#include <string.h>

typedef bool Command(LocatedOut *out, const LocatedOptions *options);

static const struct {
    const char *name, *summary;
    Command *run;
} commands[] = {
    {"throws", "random throws: at rest, steps, distances, energy", located_throws},
    {"tunnel", "fast things against thin things: how many were missed", located_tunnel},
    {"stacks", "boxes at rest on each other: steps, cost, drift", located_stacks},
};
#define NCOMMANDS (int)(sizeof commands / sizeof commands[0])

static void usage(FILE *file)
{
    fprintf(file, "usage: rigor-bench-located [COMMAND]... [options]\n\n");
    for (int i = 0; i < NCOMMANDS; i++)
        fprintf(file, "  %-8s %s\n", commands[i].name, commands[i].summary);
    fprintf(file, "\nWithout a command: all of them.\n\n"
                  "  --quick               fewer rows and throws: a look\n"
                  "  --stepper NAME        only this one (repeatable)\n"
                  "  --solver NAME         likewise\n"
                  "  --coords FORM         minimal (default) or maximal\n"
                  "  --gap M               contact gap of steppers that locate events\n"
                  "  --event-time S        events nearer to each other may be found as one\n"
                  "  --step H, --time T    nominal step and length of the runs\n"
                  "  --seconds S           processor time that a run may take (default 60)\n"
                  "  --kind cube|tetra|hull20|box, --onto plane|slope|each-other    throws (default all)\n"
                  "  --count N, --seed S   throws or shots of each kind, seed of the first\n"
                  "  --only SEED           that throw alone\n"
                  "  --scene NAME          tunnel: fixed-sheet, free-sheet, gate, swing, chain\n"
                  "  --speed V             tunnel: of bullets\n"
                  "  --histogram           lengths of the inner steps and what decided them, too\n"
                  "  --verify              check the certificate of every run\n"
                  "  --json FILE|-, --csv FILE\n\n"
                  "Ends with 1 where a stepper that locates events overlapped, missed, or was refused.\n");
}

typedef struct Arguments {
    LocatedOptions options;
    bool chosen[NCOMMANDS];
    const char *json, *csv;
} Arguments;

static bool add_name(const char **names, const char *name)
{
    for (int i = 0; i < LOCATED_NAMES - 1; i++)
        if (names[i] == NULL) {
            names[i] = name;
            return true;
        }
    return false;
}

static bool read_number(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return *end == '\0' && end != text && isfinite(*out) && *out > 0.0;
}

static bool read_whole(const char *text, uint64_t *out)
{
    char *end;
    *out = strtoull(text, &end, 10);
    return *end == '\0' && end != text;
}

/* An option with a value; false: there is none such, or the value is bad. */
static bool take_value(Arguments *a, const char *key, const char *value)
{
    LocatedOptions *o = &a->options;
    const struct {
        const char *key;
        double *number;
    } numbers[] = {{"--gap", &o->gap},   {"--event-time", &o->event_time}, {"--step", &o->step},
                   {"--time", &o->time}, {"--seconds", &o->seconds},       {"--speed", &o->speed}};
    for (int i = 0; i < 6; i++)
        if (strcmp(key, numbers[i].key) == 0)
            return read_number(value, numbers[i].number);
    const struct {
        const char *key;
        const char **text;
    } texts[] = {{"--kind", &o->kind},     {"--onto", &o->onto}, {"--scene", &o->scene},
                 {"--coords", &o->coords}, {"--json", &a->json}, {"--csv", &a->csv}};
    for (int i = 0; i < 6; i++)
        if (strcmp(key, texts[i].key) == 0) {
            *texts[i].text = value;
            return true;
        }
    uint64_t whole;
    if (strcmp(key, "--stepper") == 0)
        return add_name(o->steppers, value);
    if (strcmp(key, "--solver") == 0)
        return add_name(o->solvers, value);
    if (!read_whole(value, &whole))
        return false;
    if (strcmp(key, "--count") == 0) {
        o->count = whole < 1000000 ? (int)whole : 1000000;
        return whole > 0;
    }
    o->only = strcmp(key, "--only") == 0;
    o->seed = whole;
    return o->only || strcmp(key, "--seed") == 0;
}

static bool take_word(Arguments *a, const char *word)
{
    for (int i = 0; i < NCOMMANDS; i++)
        if (strcmp(word, commands[i].name) == 0)
            return a->chosen[i] = true;
    if (strcmp(word, "--quick") == 0)
        return a->options.quick = true;
    if (strcmp(word, "--histogram") == 0)
        return a->options.histogram = true;
    if (strcmp(word, "--verify") == 0)
        return a->options.verify = true;
    return false;
}

int main(int argc, char **argv)
{
    Arguments a = {
        .options = {.gap = NAN, .event_time = NAN, .step = NAN, .time = NAN, .speed = NAN, .seconds = 60.0, .seed = 1}};
    bool any = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            usage(stdout);
            return 0;
        }
        bool good = take_word(&a, argv[i]);
        if (!good && i + 1 < argc && take_value(&a, argv[i], argv[i + 1])) {
            i++;
            good = true;
        }
        if (!good) {
            fprintf(stderr, "rigor-bench-located: not understood: %s\n", argv[i]);
            usage(stderr);
            return 2;
        }
    }
    for (int i = 0; i < NCOMMANDS; i++)
        any = any || a.chosen[i];

    LocatedOut out;
    if (!located_out_begin(&out, a.json, a.csv)) {
        fprintf(stderr, "rigor-bench-located: an output file cannot be written\n");
        return 2;
    }
    bool good = true;
    for (int i = 0; i < NCOMMANDS; i++)
        if (a.chosen[i] || !any)
            good = commands[i].run(&out, &a.options) && good;
    if (!located_out_end(&out))
        return 2;
    return good ? 0 : 1;
}
