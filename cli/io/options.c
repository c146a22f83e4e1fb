/*
 * options.c - the option parser that all commands share.
 *
 * Accepts `--name value`, `--name=value`, switches `--name`, `--` (the rest are operands) and operands, the FILE or
 * FILES; `-` is the standard input. Commands read repeated options from `given`; of other options the last one counts.
 * The message about an unknown name suggests the nearest one (edit distance by Wagner and Fischer, 1974).
 *
 * Fails, with a message, on: unknown option, missing or superfluous value, too many operands, number out of
 * range.
 */
#include "io/options.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 63 };

/* Number of edits (insert, delete, replace) from a to b; a large number for names that are too long. */
static int edit_distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);
    if (na > NAME_MAX_LENGTH || nb > NAME_MAX_LENGTH)
        return NAME_MAX_LENGTH;

    /* One row of the table at a time: row[j] = distance of the first i letters of a to the first j of b. */
    int row[NAME_MAX_LENGTH + 1];
    for (size_t j = 0; j <= nb; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int replace = diagonal + (a[i - 1] != b[j - 1]);
            int other = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
            diagonal = row[j];
            row[j] = replace < other ? replace : other;
        }
    }
    return row[nb];
}

RgNearest rg_nearest_begin(const char *wanted)
{
    return (RgNearest){.wanted = wanted, .best = NULL, .distance = 1 + (int)strlen(wanted) / 3};
}

void rg_nearest_offer(RgNearest *nearest, const char *candidate)
{
    int distance = edit_distance(nearest->wanted, candidate);
    if (distance < nearest->distance + (nearest->best == NULL)) {
        nearest->best = candidate;
        nearest->distance = distance;
    }
}

bool rg_options_complain(const RgOptions *options, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "rigor %s: ", options->command);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\ntry 'rigor %s --help'\n", options->command);
    va_end(arguments);
    return false;
}

static const RgOptionSpec *spec_at(const RgOptions *options, int i)
{
    return i < options->nspecs ? &options->specs[i] : &options->more[i - options->nspecs];
}

static bool complain_unknown(const RgOptions *options, const char *name, size_t length)
{
    char wanted[NAME_MAX_LENGTH + 1];
    snprintf(wanted, sizeof wanted, "%.*s", (int)length, name);
    RgNearest nearest = rg_nearest_begin(wanted);
    for (int i = 0; i < options->nspecs + options->nmore; i++)
        rg_nearest_offer(&nearest, spec_at(options, i)->name);
    if (nearest.best)
        return rg_options_complain(options, "unknown option --%s; did you mean --%s?", wanted, nearest.best);
    return rg_options_complain(options, "unknown option --%s", wanted);
}

static const RgOptionSpec *find_spec(const RgOptions *options, const char *name, size_t length)
{
    for (int i = 0; i < options->nspecs + options->nmore; i++) {
        const RgOptionSpec *spec = spec_at(options, i);
        if (strlen(spec->name) == length && strncmp(spec->name, name, length) == 0)
            return spec;
    }
    return NULL;
}

/* One option at argv[*at]; moves *at over a value of its own. */
static bool parse_option(RgOptions *options, int argc, char **argv, int *at)
{
    const char *name = argv[*at] + 2;
    const char *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const RgOptionSpec *spec = find_spec(options, name, length);
    if (!spec)
        return complain_unknown(options, name, length);

    /* The value: after the equals sign, or the next word, unless that is an option itself. */
    const char *value = equals ? equals + 1 : NULL;
    if (!spec->argument && value)
        return rg_options_complain(options, "--%s takes no value", spec->name);
    if (spec->argument && !value) {
        if (*at + 1 >= argc || strncmp(argv[*at + 1], "--", 2) == 0)
            return rg_options_complain(options, "--%s needs a value: --%s %s", spec->name, spec->name, spec->argument);
        value = argv[++*at];
    }
    if (spec->argument && *value == '\0')
        return rg_options_complain(options, "--%s has an empty value: expected %s", spec->name, spec->argument);
    options->given[options->ngiven++] = (RgOption){spec, value};
    return true;
}

/* --help or -h anywhere before `--`. */
static bool has_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

static bool add_file(RgOptions *options, const char *word)
{
    int room = options->max_files > 0 ? options->max_files : 1;
    if (options->nfiles == room && room == 1)
        return rg_options_complain(options, "expected one file, found '%s' after '%s'", word, options->files[0]);
    if (options->nfiles == room)
        return rg_options_complain(options, "expected at most %d files: '%s' is one too many", room, word);
    options->files[options->nfiles++] = word;
    return true;
}

bool rg_options_parse(RgOptions *options, int argc, char **argv)
{
    options->given = calloc((size_t)argc + 1, sizeof *options->given);
    options->files = calloc((size_t)argc + 1, sizeof *options->files);
    options->ngiven = 0;
    options->nfiles = 0;
    options->file = NULL;
    options->help = has_help(argc, argv);
    if (!options->given || !options->files)
        return rg_options_complain(options, "out of memory");
    if (options->help)
        return true;

    /* Options end at `--`; all other words are operands. */
    bool only_operands = false;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (!only_operands && strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (!only_operands && strncmp(word, "--", 2) == 0) {
            if (!parse_option(options, argc, argv, &i))
                return false;
        } else if (!only_operands && word[0] == '-' && word[1] != '\0') {
            return rg_options_complain(options, "unknown option %s; options begin with two dashes", word);
        } else if (!add_file(options, word)) {
            return false;
        }
    }
    options->file = options->nfiles > 0 ? options->files[0] : NULL;
    if (!options->file && !options->file_optional)
        return rg_options_complain(options, "no file given: expected %s, or - for the standard input",
                                   options->expects ? options->expects : "a URDF, SDF or YAML run file");
    return true;
}

void rg_options_free(RgOptions *options)
{
    free(options->given);
    free(options->files);
    options->given = NULL;
    options->files = NULL;
    options->ngiven = 0;
}

const char *rg_options_value(const RgOptions *options, const char *name)
{
    const char *value = NULL;
    for (int i = 0; i < options->ngiven; i++)
        if (strcmp(options->given[i].spec->name, name) == 0)
            value = options->given[i].value;
    return value;
}

bool rg_options_has(const RgOptions *options, const char *name)
{
    for (int i = 0; i < options->ngiven; i++)
        if (strcmp(options->given[i].spec->name, name) == 0)
            return true;
    return false;
}

bool rg_number_parse(const char *text, double *out)
{
    /* strtod also accepts "nan", "infinity" and hexadecimal numbers. */
    if (text[0] == '\0' || text[strspn(text, "0123456789+-.eE")] != '\0')
        return false;
    char *end;
    double value = strtod(text, &end);
    if (*end != '\0' || !isfinite(value))
        return false;
    *out = value;
    return true;
}

int rg_number_list_parse(const char *text, double *values, int room)
{
    int count = 0;
    for (const char *at = text; at; count++) {
        const char *comma = strchr(at, ',');
        char word[64];
        size_t length = comma ? (size_t)(comma - at) : strlen(at);
        if (count == room || length >= sizeof word)
            return -1;
        memcpy(word, at, length);
        word[length] = '\0';
        if (!rg_number_parse(word, &values[count]))
            return -1;
        at = comma ? comma + 1 : NULL;
    }
    return count;
}

bool rg_options_number(const RgOptions *options, const char *name, double low, double high, double *out)
{
    const char *text = rg_options_value(options, name);
    double value;
    if (!text)
        return true;
    if (!rg_number_parse(text, &value))
        return rg_options_complain(options, "--%s: '%s' is not a number", name, text);
    if (value < low || value > high)
        return rg_options_complain(options, "--%s: %s is not between %g and %g", name, text, low, high);
    *out = value;
    return true;
}

bool rg_options_whole(const RgOptions *options, const char *name, double low, double high, int *out)
{
    double value = *out;
    if (!rg_options_number(options, name, low, high, &value))
        return false;
    if (value != floor(value))
        return rg_options_complain(options, "--%s: expected a whole number", name);
    *out = (int)value;
    return true;
}
