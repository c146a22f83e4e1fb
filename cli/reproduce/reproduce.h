/*
 * reproduce.h - `rigor reproduce`: the parts of the command.
 *
 *   experiments -- reproduce_run.c --> DIR/NAME/measured.csv -- reproduce_judge.c --> RgVerdicts
 *               -- reproduce_out.c --> table, JSON      -- reproduce_page.c --> DIR/NAME/index.html, DIR/index.html
 */
#ifndef RIGOR_REPRODUCE_H
#define RIGOR_REPRODUCE_H

#include "experiment.h"
#include "io/pool.h"

#include <jansson.h>
#include <stdbool.h>

typedef struct RgReproduce {
    RgPool pool;
    const char *data;               /* folder that contains models/ and experiments/ */
    const char *folder;             /* of the results */
    bool has_report;                /* --report: pages are written, results in the folder are used again */
    bool quick, fresh, quiet;       /* fresh: results in the folder are not used again */
    const Experiment **experiments; /* chosen, nexperiments */
    int nexperiments;
    int jobs;      /* processes at once */
    char mark[20]; /* of the program and the models */
} RgReproduce;

/* ------------------------------------------------------------------ results of one experiment */

#define RG_VERDICT_LIST(X)                                                                                             \
    X(inside) /* within the accepted range */                                                                          \
    X(better) /* beyond it, on the side that the source counts as better than its own figure */                        \
    X(outside)                                                                                                         \
    X(skipped) /* cannot be measured on this machine, e.g. too few processors */                                       \
    X(missing) /* not measured by the experiment */

typedef enum RgVerdict {
#define RG_VERDICT_ENUM(name) RG_VERDICT_##name,
    RG_VERDICT_LIST(RG_VERDICT_ENUM)
#undef RG_VERDICT_ENUM
        RG_VERDICT_COUNT
} RgVerdict;
const char *rg_verdict_name(RgVerdict verdict);

typedef struct RgJudgedRow {
    const char *name, *unit, *source;
    const char *why;  /* outside: the reason that expected.csv gives; skipped: the experiment's */
    double published; /* NaN: none */
    double measured;  /* NaN: none */
    double low, high; /* infinite: open */
    RgVerdict verdict;
} RgJudgedRow;

/* Measured over published value; NaN: one of them is missing. */
double rg_judged_ratio(const RgJudgedRow *row);
/* The accepted range as text. */
void rg_judged_range(const RgJudgedRow *row, char *out, size_t size);

typedef struct RgNamedText {
    const char *name, *text;
} RgNamedText;

typedef struct RgJudged {
    const Experiment *experiment;
    RgJudgedRow *rows;
    int nrows;
    const char **said, **failures;
    int nsaid, nfailures;
    RgNamedText *figures, *films;
    int nfigures, nfilms;
    double seconds; /* wall time; NaN: not run, results were used again */
    int count[RG_VERDICT_COUNT];
} RgJudged;

/* Rows of expected.csv with measured values and verdicts. False: a message was printed. */
bool rg_reproduce_judge(RgReproduce *r, const Experiment *experiment, RgJudged *out);

/* Runs the experiments without results, several at once. seconds: nexperiments. False: interrupted, or no process
   could be started; a message was printed. */
bool rg_reproduce_run(RgReproduce *r, double *seconds);

/* Whether the folder has the experiment's results, of this program and form. */
bool rg_reproduce_has(RgReproduce *r, const Experiment *experiment);

void rg_reproduce_print(const RgJudged *judged);
/* Per cent of the rows of all (published: of those with a published value) that are inside or better; skipped ones do
   not count. */
double rg_reproduce_share(const RgJudged *judged, int count, bool published);
void rg_reproduce_print_sum(const RgReproduce *r, const RgJudged *judged);
json_t *rg_reproduce_json(const RgReproduce *r, const RgJudged *judged);

/* Pages of the experiments, and one that lists them. False: a message was printed. */
bool rg_reproduce_pages(RgReproduce *r, const RgJudged *judged, int count);

/* DIR/NAME */
const char *rg_reproduce_folder(RgReproduce *r, const Experiment *experiment);

#endif
