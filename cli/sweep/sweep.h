/*
 * sweep.h - `rigor sweep`: the parts of the command.
 *
 *   FILE -- sweep_file.c --> RgSweepPlan -- sweep_axes.c --> values of run i -- sweep_work.c --> a line of JSON per run
 *        -- sweep_processes.c (processes), sweep_lead.c, sweep_follow.c (ranks), sweep_queue.c (assignment of runs) -->
 *        -- sweep_journal.c --> NAME.journal -- sweep_table.c --> NAME.csv, NAME.npz, NAME.json, NAME.times.csv
 *
 * A line {run, status, reason, values ...} does not depend on the process that computed it, except for seconds and
 * host, which go to NAME.times.csv only.
 */
#ifndef RIGOR_SWEEP_H
#define RIGOR_SWEEP_H

#include "io/yaml_edit.h"
#include "sweep/world_signal.h"

#include <stdint.h>

/* ------------------------------------------------------------------ the request */

/* A place in the sweep file. */
typedef struct RgSweepPlace {
    int line, column;
} RgSweepPlace;

/* A value to set: a node of a document, or a number. */
typedef struct RgSweepValue {
    yaml_node_t *node; /* NULL: number */
    RgYaml *from;      /* document of the node; NULL: the sweep file */
    double number;     /* NaN: the node is no number */
    const char *text;  /* in the table */
    bool is_null;      /* removes the key; an empty cell in the table */
} RgSweepValue;

typedef enum RgDraw { RG_DRAW_NONE, RG_DRAW_UNIFORM, RG_DRAW_LOG_UNIFORM, RG_DRAW_NORMAL, RG_DRAW_CHOICE } RgDraw;

/* Keys that change together. */
typedef struct RgSweepAxis {
    const char **keys;    /* nkeys paths into the run file */
    const char **columns; /* nkeys: their columns in the table */
    int nkeys;
    RgSweepValue *values; /* nvalues x nkeys */
    int nvalues;          /* 0: drawn */
    RgDraw draw;          /* choice: one of the values */
    double a, b;          /* bounds, or mean and deviation */
    RgYamlHow how;
    bool cases; /* a value is a mapping of paths to values; the one key is the axis' name */
    RgSweepPlace at;
} RgSweepAxis;

/* A result column: a value of the run's summary, or a statistic of a signal. */
typedef struct RgSweepOutput {
    const char *name;
    const char *path; /* into the JSON of `rigor run --json`; NULL: a signal */
    RgWatched watched;
    RgSweepPlace at;
} RgSweepOutput;

/* A condition that ends a run early. */
typedef struct RgSweepStop {
    const char *name;
    RgBound bound;
    RgSignal signal;
    RgSweepPlace at;
    long long count; /* number of runs that it ended, counted with the table */
} RgSweepStop;

/* The largest number of a key with which a run works (002, section IV). */
typedef struct RgSweepSearch {
    const char *key; /* NULL: no search */
    const char *column;
    double first, least, most, width;
    int probes;
    RgBound *where; /* nwhere: conditions on outputs */
    int nwhere;
    RgSweepPlace at;
} RgSweepSearch;

typedef struct RgSweepPlan {
    RgPool pool; /* memory of all below */
    const char *path;
    char *text; /* of the file */
    size_t size;
    RgYaml yaml; /* open until the sweep is closed */
    bool is_open;
    RgError yaml_error; /* error of the YAML readers */
    const char *name;
    const char *run; /* path of the run file or model */

    RgSweepAxis *sets; /* nsets: for all runs */
    int nsets;
    RgSweepAxis *axes;
    int naxes;
    long long *seeds; /* nseeds; NULL: no seeds, nseeds is 1 */
    int nseeds;
    bool draws; /* some axis is drawn: the table has a column for the seed */
    RgSweepOutput *outputs;
    int noutputs;
    RgSweepStop *stops;
    int nstops;
    RgSweepSearch search;
    bool quiet;
    const char **remarks; /* nremarks: of the readers, about the first run */
    int nremarks;
    RgSweepPlace seeds_at;
    RgYaml **given; /* ngiven: documents of --set */
    int ngiven;
    const char *out; /* path of the tables without ending */

    long long runs;
    char signature[20]; /* of files, values and program */
} RgSweepPlan;

/* Reads and checks the file. false: message printed. Close it in either case. */
bool rg_sweep_open(RgSweepPlan *sweep, const char *path);
/* The same of a text, which must outlive the sweep; sweep is zeroed. false: error is filled. */
bool rg_sweep_read(RgSweepPlan *sweep, const char *path, char *text, size_t size, RgError *error);
/* One more key for all runs: "PATH=VALUE", the value as in a sweep file. false: error is filled. */
bool rg_sweep_set(RgSweepPlan *sweep, const char *text, RgError *error);
void rg_sweep_close(RgSweepPlan *sweep);

/* sweep_axes.c: the seed of a run; the value of an axis' key in a run; sets all of them in a run file's document. */
long long rg_sweep_seed(const RgSweepPlan *sweep, long long run);
RgSweepValue rg_sweep_value(const RgSweepPlan *sweep, long long run, int axis, int key);
typedef struct RgSweepEdit {
    RgSweepPlan *sweep;
    long long run; /* -1: only values that all runs share */
    double found;  /* number of the search's key; NaN: none */
    const RgSweepAxis
        *alone; /* only this axis, with its value number `value`; NULL: all axes, with the values of the run */
    int value;
} RgSweepEdit;
bool rg_sweep_edit(struct RgYaml *yaml, void *context);

/* Number of runs; -1: overflow. */
long long rg_sweep_count(const RgSweepPlan *sweep);

/* ------------------------------------------------------------------ one run */

/* Computes a run. Returns its line, without the end of line, in the pool. */
const char *rg_sweep_work(RgSweepPlan *sweep, long long run, RgPool *pool);

/* A line for a run whose process or machine died. */
const char *rg_sweep_lost(long long run, const char *reason, RgPool *pool);

/* Makes a run at its start; free it in either case. false: error is filled. The second returns an error text about a
   path into the run's summary, or NULL. */
bool rg_sweep_start(RgRun *run, RgSweepEdit *what, RgError *error);
const char *rg_sweep_missing(RgSweepPlan *sweep, RgRun *run, const char *path);

/* sweep_check.c: checks that runs can start, and makes the signature of program, files and values. false: message
   printed. */
bool rg_sweep_check(RgSweepPlan *sweep);

/* Parses a line of this sweep; NULL: it is none. *run: its run. */
json_t *rg_sweep_line(const RgSweepPlan *sweep, const char *line, size_t size, long long *run);

/* ------------------------------------------------------------------ assignment of runs (sweep_queue.c) */

enum { RG_SWEEP_NO_HOLDER = -1, RG_SWEEP_TRIES = 3 };

typedef struct RgRunQueue {
    long long runs, done, next;
    char *state;        /* runs: 0 to do, 1 given out, 2 done */
    signed char *tries; /* runs: number of holders that died */
    int *holder;        /* runs: worker or rank that computes it */
    long long *back;    /* nback runs to be assigned again */
    long long nback;
} RgRunQueue;

void rg_run_queue_begin(RgRunQueue *queue, RgPool *pool, long long runs);
long long rg_run_queue_give(RgRunQueue *queue, int holder); /* -1: none is left */
bool rg_run_queue_done(RgRunQueue *queue, long long run);   /* false: it was done before */
void rg_run_queue_back(RgRunQueue *queue, long long run,
                       bool blame); /* assigns it again; blame: the run may be the cause */
bool rg_run_queue_is_hopeless(const RgRunQueue *queue, long long run); /* too many of its holders died */
int rg_run_queue_holder(const RgRunQueue *queue, long long run);       /* its holder; RG_SWEEP_NO_HOLDER: none */

/* ------------------------------------------------------------------ journal (sweep_journal.c) */

typedef struct RgJournal {
    const char *path;
    int file;           /* -1: not open */
    bool is_dirty;      /* lines may not be on disk */
    double synced;      /* s, of rg_progress_clock */
    const char **lines; /* by run; NULL: not done */
} RgJournal;

/* Opens or creates the journal; its runs are stored in lines and counted as done. fresh: discards them. false: message
   printed. */
bool rg_journal_open(RgJournal *journal, RgSweepPlan *sweep, RgRunQueue *queue, bool fresh);
/* Adds a line, if its run is not done yet. false: it cannot be written, message printed. */
bool rg_journal_add(RgJournal *journal, RgSweepPlan *sweep, RgRunQueue *queue, const char *line, size_t size);
/* Call it repeatedly: brings lines to disk once a second. */
void rg_journal_sync(RgJournal *journal);
void rg_journal_close(RgJournal *journal, bool remove);

/* ------------------------------------------------------------------ local processes (sweep_processes.c) */

typedef struct RgSweepWorker {
    int pid;
    int to, from;  /* pipes; -1: the worker has died */
    long long run; /* that it computes; -1: idle */
    char *buffer;
    size_t used, room;
} RgSweepWorker;

/* Callbacks for a line, and for a run whose worker process died. */
typedef struct RgProcessEvents {
    void (*line)(void *context, int worker, const char *line, size_t size);
    void (*lost)(void *context, int worker, long long run, const char *reason);
    void *context;
} RgProcessEvents;

typedef struct RgSweepProcesses {
    RgSweepPlan *sweep;
    RgSweepWorker *workers;
    int nworkers;
    bool may_fork;      /* dead workers are replaced */
    int not_theirs;     /* file that workers close; -1: none */
    struct pollfd *fds; /* nworkers */
    RgProcessEvents events;
} RgSweepProcesses;

/* Writes all of the data to a file or pipe (sweep_journal.c). */
bool rg_write_all(int file, const char *data, size_t size);

bool rg_sweep_processes_begin(RgSweepProcesses *processes, RgSweepPlan *sweep, int nworkers);
bool rg_sweep_processes_give(RgSweepProcesses *processes, int worker, long long run);
int rg_sweep_processes_idle(const RgSweepProcesses *processes); /* a worker without a run, or -1 */
int rg_sweep_processes_alive(const RgSweepProcesses *processes);
void rg_sweep_processes_listen(RgSweepProcesses *processes,
                               int milliseconds); /* waits for messages, and calls the events */
void rg_sweep_processes_end(RgSweepProcesses *processes);

/* ------------------------------------------------------------------ results (sweep_table.c) */

/* Number of rows by status. */
typedef struct RgSweepTally {
    long long ok, refused, failed, lost;
    char first[200]; /* reason of the first row that is not ok */
} RgSweepTally;

/* Writes tables, manifest and times of a complete sweep. false: message printed. */
bool rg_sweep_write(RgSweepPlan *sweep, const RgJournal *journal, RgSweepTally *tally);

/* State of existing tables. */
typedef enum RgSweepThere {
    RG_SWEEP_NOTHING, /* no manifest, or lost rows */
    RG_SWEEP_WHOLE,   /* the tables of the same sweep without lost rows */
    RG_SWEEP_OTHER    /* those of another */
} RgSweepThere;
RgSweepThere rg_sweep_there(RgSweepPlan *sweep, RgSweepTally *tally);

#endif
