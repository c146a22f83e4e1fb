/*
 * lab.c - results, remarks and failures of an experiment, written line by line to measured.csv.
 *
 * Fields are quoted by RFC 4180. Values have 17 digits, which restore their bits.
 */
#define _POSIX_C_SOURCE 200809L
#include "lab.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct LabBlock {
    struct LabBlock *next;
    double data[]; /* aligned for any type */
} LabBlock;

struct Lab {
    LabDef def;
    FILE *out;
    LabBlock *blocks;
    LabFigure *figures;
    LabFilm *films;
    double part;
    bool failed, is_bad;
};

/* ------------------------------------------------------------------ memory */

void *lab_take(Lab *lab, size_t size)
{
    LabBlock *block = calloc(1, sizeof *block + size);
    if (!block) {
        fprintf(stderr, "rigor: out of memory\n");
        exit(1);
    }
    block->next = lab->blocks;
    lab->blocks = block;
    return block->data;
}

static char *print_list(Lab *lab, const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    char *text = lab_take(lab, (size_t)(length > 0 ? length : 0) + 1);
    vsnprintf(text, (size_t)(length > 0 ? length : 0) + 1, format, again);
    va_end(again);
    return text;
}

char *lab_print(Lab *lab, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *text = print_list(lab, format, list);
    va_end(list);
    return text;
}

/* ------------------------------------------------------------------ life */

void lab_heading(char *buffer, size_t size, bool quick, const char *mark)
{
    snprintf(buffer, size, "# rigor %s %s %s", rg_version(), quick ? "quick" : "whole", mark);
}

static char *path_in(Lab *lab, const char *file)
{
    return lab_print(lab, "%s/%s", lab->def.folder, file);
}

Lab *lab_open(const LabDef *def)
{
    Lab *lab = calloc(1, sizeof *lab);
    if (!lab)
        return NULL;
    lab->def = *def;
    char heading[160];
    lab_heading(heading, sizeof heading, def->quick, def->mark);
    remove(path_in(lab, "measured.csv"));
    lab->out = fopen(path_in(lab, "measured.part"), "w");
    if (lab->out && fprintf(lab->out, "%s\nkind,name,value,text\n", heading) > 0)
        return lab;
    lab_close(lab);
    return NULL;
}

bool lab_close(Lab *lab)
{
    bool good = lab->out != NULL;
    good = lab_figures_close(lab) && good;
    good = lab_films_close(lab) && good;
    if (lab->out)
        good = fclose(lab->out) == 0 && good && !lab->is_bad;
    if (good)
        good = rename(path_in(lab, "measured.part"), path_in(lab, "measured.csv")) == 0;
    while (lab->blocks) {
        LabBlock *block = lab->blocks;
        lab->blocks = block->next;
        free(block);
    }
    free(lab);
    return good;
}

bool lab_quick(const Lab *lab)
{
    return lab->def.quick;
}

const char *lab_folder(const Lab *lab)
{
    return lab->def.folder;
}

LabFigure **lab_first_figure(Lab *lab)
{
    return &lab->figures;
}

LabFilm **lab_first_film(Lab *lab)
{
    return &lab->films;
}

/* ------------------------------------------------------------------ inputs */

const char *lab_model(Lab *lab, const char *file)
{
    return lab_print(lab, "%s/%s", lab->def.models, file);
}

RgModel *lab_model_load(Lab *lab, const char *file, const RgReadOptions *options)
{
    RgError error;
    RgModel *model = rg_model_load(lab_model(lab, file), options, NULL, &error);
    char text[900];
    if (!model) {
        rg_error_format(&error, text, sizeof text);
        lab_fail(lab, "%s", text);
    }
    return model;
}

LabPgs lab_pgs(const char *preset)
{
    LabPgs out = {rg_contact_law_default(), rg_pgs_options_default()};
    rg_pgs_preset(preset, &out.law, &out.pgs);
    return out;
}

void lab_use_pgs(RgWorldDef *def, const LabPgs *pgs)
{
    if (pgs == NULL)
        return;
    def->law = &pgs->law;
    def->pgs = &pgs->pgs;
}

RgWorld *lab_world_create(Lab *lab, const RgWorldDef *def)
{
    RgError error;
    RgWorld *world = rg_world_create(def, &error);
    if (!world)
        lab_fail(lab, "the world cannot be made: %s", error.text);
    return world;
}

void lab_progress(Lab *lab, double part)
{
    if (!(part > lab->part) || !lab->def.progress)
        return;
    lab->part = fmin(part, 1.0);
    lab->def.progress(lab->part, lab->def.progress_context);
}

double lab_cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ------------------------------------------------------------------ results */

static void put_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void lab_record(Lab *lab, const char *kind, const char *name, double value, const char *text)
{
    fprintf(lab->out, "%s,", kind);
    put_quoted(lab->out, name);
    fprintf(lab->out, ",%.17g,", value);
    put_quoted(lab->out, text);
    lab->is_bad = fputc('\n', lab->out) == EOF || fflush(lab->out) != 0 || lab->is_bad;
}

void lab_measured(Lab *lab, const char *row, double value)
{
    lab_record(lab, "row", row, value, "");
}

void lab_holds(Lab *lab, const char *row, bool holds)
{
    lab_measured(lab, row, holds ? 1.0 : 0.0);
}

void lab_skipped(Lab *lab, const char *row, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    lab_record(lab, "skipped", row, (double)NAN, print_list(lab, format, list));
    va_end(list);
}

void lab_say(Lab *lab, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    lab_record(lab, "said", "", 0.0, print_list(lab, format, list));
    va_end(list);
}

void lab_fail(Lab *lab, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    lab_record(lab, "failed", "", 0.0, print_list(lab, format, list));
    va_end(list);
    lab->failed = true;
}

bool lab_failed(const Lab *lab)
{
    return lab->failed;
}

void lab_run_parts(Lab *lab, LabPart *const *parts)
{
    for (; *parts && !lab_failed(lab); parts++)
        (*parts)(lab);
}
