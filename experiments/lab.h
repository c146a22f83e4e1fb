/*
 * lab.h - the lab itself: who runs an experiment opens one, runs it and closes it (experiment.h is what experiments
 * see).
 *
 * A folder holds, when the lab is closed:
 *
 *   measured.csv   first line "# rigor VERSION FORM MARK", then a table kind,name,value,text: a row, a skipped row, a line said,
 *                  a failure, a figure, a film. It gets its name when the experiment is over: a folder without it is
 *                  one of an experiment that was cut off.
 *   FIGURE.dat, FIGURE.gp, FILM.mcap
 */
#ifndef RIGOR_LAB_H
#define RIGOR_LAB_H

#include "experiment.h"

#include <stdio.h>

typedef struct LabDef {
    const char *folder; /* exists */
    const char *models; /* folder of the project's models */
    const char *mark; /* of the program and what it compares with: results of another mark are not those of this one */
    bool quick;
    /* May be NULL: told how far it is. */
    void (*progress)(double part, void *context);
    void *progress_context;
} LabDef;

/* NULL: the folder cannot be written. */
Lab *lab_open(const LabDef *def);
/* False: something could not be written. */
bool lab_close(Lab *lab);

/* First line of measured.csv, without its end. */
void lab_heading(char *buffer, size_t size, bool quick, const char *mark);

/* ------------------------------------------------------------------ between the files of the lab */

/* A line of measured.csv. */
void lab_record(Lab *lab, const char *kind, const char *name, double value, const char *text);
const char *lab_folder(const Lab *lab);

/* Memory that lives as long as the lab, zeroed. Running out of it ends the process, which is that of the experiment. */
void *lab_take(Lab *lab, size_t size);
char *lab_print(Lab *lab, const char *format, ...) RG_PRINTF(2, 3);

/* The lab's figures and films are whole; false: something could not be written. */
bool lab_figures_close(Lab *lab);
bool lab_films_close(Lab *lab);
LabFigure **lab_first_figure(Lab *lab);
LabFilm **lab_first_film(Lab *lab);

#endif
