/*
 * lab.h - opening and closing the lab in which an experiment runs (experiment.h is the interface of experiments).
 *
 * A folder holds, when the lab is closed:
 *
 *   measured.csv   first line "# rigor VERSION FORM MARK", then a table kind,name,value,text: a row, a skipped row, a line said,
 *                  a failure, a figure, a film. It is renamed to this name at the end: a folder
 *                  without it is of an unfinished experiment.
 *   FIGURE.dat, FIGURE.gp, FILM.mcap
 */
#ifndef RIGOR_LAB_H
#define RIGOR_LAB_H

#include "experiment.h"

#include <stdio.h>

typedef struct LabDef {
    const char *folder; /* exists */
    const char *models; /* folder of the project's models */
    const char *mark;   /* identifies the program and its models: results of another mark are not used */
    bool quick;
    /* Called with the part done; may be NULL. */
    void (*progress)(double part, void *context);
    void *progress_context;
} LabDef;

/* NULL: the folder cannot be written. */
Lab *lab_open(const LabDef *def);
/* False: write error. */
bool lab_close(Lab *lab);

/* First line of measured.csv, without its end. */
void lab_heading(char *buffer, size_t size, bool quick, const char *mark);

/* ------------------------------------------------------------------ between the files of the lab */

/* A line of measured.csv. */
void lab_record(Lab *lab, const char *kind, const char *name, double value, const char *text);
const char *lab_folder(const Lab *lab);

/* Zeroed memory, freed with the lab. Running out of it ends the process of the experiment. */
void *lab_take(Lab *lab, size_t size);
char *lab_print(Lab *lab, const char *format, ...) RG_PRINTF(2, 3);

/* Completes figures and films; false: write error. */
bool lab_figures_close(Lab *lab);
bool lab_films_close(Lab *lab);
LabFigure **lab_first_figure(Lab *lab);
LabFilm **lab_first_film(Lab *lab);

#endif
