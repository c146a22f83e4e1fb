/*
 * sweep.h - `rigor sweep`: the parts of the command.
 *
 *   FILE -- sweep_file.c --> RgSweepPlan -- sweep_axes.c --> what run i changes -- sweep_work.c --> one line of JSON a
 *   run
 *        -- sweep_processes.c (processes), sweep_lead.c, sweep_follow.c (ranks), sweep_queue.c (assignment of runs) -->
 *        -- sweep_journal.c --> NAME.journal -- sweep_table.c --> NAME.csv, NAME.npz, NAME.json, NAME.times.csv
 *
 * A line does not depend on the process that computed it: {run, status, reason, values ...}. only seconds and host
 * differ between two executions; they go to NAME.times.csv alone.
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

/* Something that is set: by its node in the sweep file, or by a number. */
typedef struct RgSweepValue {
    yaml_node_t *node; /* NULL: number */
    RgYaml *from;      /* document of the node; NULL: the sweep file */
    double number;     /* NaN: the node is none */
    const char *text;  /* as the table shows it */
    bool is_null;      /* the key is taken away; the table shows nothing */
} RgSweepValue;

typedef enum RgDraw { RG_DRAW_NONE, RG_DRAW_UNIFORM, RG_DRAW_LOG_UNIFORM, RG_DRAW_NORMAL, RG_DRAW_CHOICE } RgDraw;

/* Keys that change together. */
typedef struct RgSweepAxis {
    const char **keys;    /* nkeys paths into the run file */
    const char **columns; /* nkeys: what the table calls them */
    int nkeys;
    RgSweepValue *values; /* nvalues x nkeys */
    int nvalues;          /* 0: drawn */
    RgDraw draw;          /* choice: one of the values */
    double a, b;          /* bounds, or mean and deviation */
    RgYamlHow how;
    bool cases; /* a value is a mapping of paths to what is set there; one key, which is its name */
    RgSweepPlace at;
} RgSweepAxis;

/* A column of the table that a run fills: of its summary, or watched. */
typedef struct RgSweepOutput {
    const char *name;
    const char *path; /* into what `rigor run --json` writes; NULL: watched */
    RgWatched watched;
    RgSweepPlace at;
} RgSweepOutput;

/* A run ends early where this holds. */
typedef struct RgSweepStop {
    const char *name;
    RgBound bound;
    RgSignal signal;
    RgSweepPlace at;
    long long count; /* rows that it ended, once the table is made */
} RgSweepStop;

/* The largest number of a key with which a run works (002, section IV). */
typedef struct RgSweepSearch {
    const char *key; /* NULL: no search */
    const char *column;
    double first, least, most, width;
    int probes;
    RgBound *where; /* nwhere: what its outputs must keep */
    int nwhere;
    RgSweepPlace at;
} RgSweepSearch;

typedef struct RgSweepPlan {
    RgPool pool; /* everything below */
    const char *path;
    char *text; /* of the file */
    size_t size;
    RgYaml yaml; /* open as long as the sweep */
    bool is_open;
    RgError yaml_error; /* what the readers write to */
    const char *name;
    const char *run; /* path of the run file or model */

    RgSweepAxis *sets; /* nsets: for all runs */
    int nsets;
    RgSweepAxis *axes;
    int naxes;
    long long *seeds; /* nseeds; NULL: none are drawn, nseeds is 1 */
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
    const char *out; /* what the tables are called, without ending */

    long long runs;
    char signature[20]; /* of files, values and program */
} RgSweepPlan;

/* Reads and checks the file. false: message printed. Close it in either case. */
bool rg_sweep_open(RgSweepPlan *sweep, const char *path);
/* The same of a text, which must stay; sweep is zeroed. false: error is filled. */
bool rg_sweep_read(RgSweepPlan *sweep, const char *path, char *text, size_t size, RgError *error);
/* One more key for all runs: "PATH=VALUE", the value as in a sweep file. false: error is filled. */
bool rg_sweep_set(RgSweepPlan *sweep, const char *text, RgError *error);
void rg_sweep_close(RgSweepPlan *sweep);

/* sweep_axes.c: the seed of a run; the value of a key of an axis in a run; all of them into a run file's document. */
long long rg_sweep_seed(const RgSweepPlan *sweep, long long run);
RgSweepValue rg_sweep_value(const RgSweepPlan *sweep, long long run, int axis, int key);
typedef struct RgSweepEdit {
    RgSweepPlan *sweep;
    long long run;            /* -1: what all runs share */
    double found;             /* number of the search's key; NaN: none */
    const RgSweepAxis *alone; /* only this axis, with its value number `value`; NULL: all, with those of the run */
    int value;
} RgSweepEdit;
bool rg_sweep_edit(struct RgYaml *yaml, void *context);

/* How many runs there are; -1: more than can be counted. */
long long rg_sweep_count(const RgSweepPlan *sweep);

/* ------------------------------------------------------------------ one run */

/* Computes a run. Its line, without the end of line, in the pool. */
const char *rg_sweep_work(RgSweepPlan *sweep, long long run, RgPool *pool);

/* A line for a run whose process or machine died. */
const char *rg_sweep_lost(long long run, const char *reason, RgPool *pool);

/* A run at its start; to be freed in either case. false: error is filled. And what is wrong with a path into its
   summary, or NULL. */
bool rg_sweep_start(RgRun *run, RgSweepEdit *what, RgError *error);
const char *rg_sweep_missing(RgSweepPlan *sweep, RgRun *run, const char *path);

/* sweep_check.c: whether runs can start at all; and the signature of program, files and values. false: message
   printed. */
bool rg_sweep_check(RgSweepPlan *sweep);

/* The line as a value, if it is one of this sweep; NULL: it is none. *run: which. */
json_t *rg_sweep_line(const RgSweepPlan *sweep, const char *line, size_t size, long long *run);

/* ------------------------------------------------------------------ assignment of runs (sweep_queue.c) */

enum { RG_SWEEP_NO_HOLDER = -1, RG_SWEEP_TRIES = 3 };

typedef struct RgRunQueue {
    long long runs, done, next;
    char *state;        /* runs: 0 to do, 1 given out, 2 done */
    signed char *tries; /* runs: how often its holder died */
    int *holder;        /* runs: its holder */
    long long *back;    /* those to be given out again, nback */
    long long nback;
} RgRunQueue;

void rg_run_queue_begin(RgRunQueue *queue, RgPool *pool, long long runs);
long long rg_run_queue_give(RgRunQueue *queue, int holder); /* -1: nothing is left to give */
bool rg_run_queue_done(RgRunQueue *queue, long long run);   /* false: it was there already */
void rg_run_queue_back(RgRunQueue *queue, long long run,
                       bool blame); /* to be given out again; blame: the run may be the cause */
bool rg_run_queue_is_hopeless(const RgRunQueue *queue, long long run); /* its holders died too often */
int rg_run_queue_holder(const RgRunQueue *queue, long long run);       /* its holder; RG_SWEEP_NO_HOLDER: none */

/* ------------------------------------------------------------------ journal (sweep_journal.c) */

typedef struct RgJournal {
    const char *path;
    int file;           /* -1: not open */
    bool is_dirty;      /* lines may not be on the disk yet */
    double synced;      /* s, of rg_progress_clock */
    const char **lines; /* runs, by number; NULL: not there yet */
} RgJournal;

/* Opens or makes it; what it has of this sweep is in lines and counted as done. fresh: begins anew. false: message
   printed. */
bool rg_journal_open(RgJournal *journal, RgSweepPlan *sweep, RgRunQueue *queue, bool fresh);
/* Adds a line, if its run is not done yet. false: it cannot be written, message printed. */
bool rg_journal_add(RgJournal *journal, RgSweepPlan *sweep, RgRunQueue *queue, const char *line, size_t size);
/* To be called now and then: lines of more than a second ago are on the disk. */
void rg_journal_sync(RgJournal *journal);
void rg_journal_close(RgJournal *journal, bool remove);

/* ------------------------------------------------------------------ local processes (sweep_processes.c) */

typedef struct RgSweepWorker {
    int pid;
    int to, from;  /* pipes; -1: it is gone */
    long long run; /* that it has; -1: idle */
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
    bool may_fork;      /* workers that are gone get successors */
    int not_theirs;     /* file that workers close; -1: none */
    struct pollfd *fds; /* nworkers */
    RgProcessEvents events;
} RgSweepProcesses;

/* All of the data into a file or pipe (sweep_journal.c). */
bool rg_write_all(int file, const char *data, size_t size);

bool rg_sweep_processes_begin(RgSweepProcesses *processes, RgSweepPlan *sweep, int nworkers);
bool rg_sweep_processes_give(RgSweepProcesses *processes, int worker, long long run);
int rg_sweep_processes_idle(const RgSweepProcesses *processes); /* a worker without a run, or -1 */
int rg_sweep_processes_alive(const RgSweepProcesses *processes);
void rg_sweep_processes_listen(RgSweepProcesses *processes,
                               int milliseconds); /* waits for messages, and passes them to the events */
void rg_sweep_processes_end(RgSweepProcesses *processes);

/* ------------------------------------------------------------------ results (sweep_table.c) */

/* How many rows there are of each status. */
typedef struct RgSweepTally {
    long long ok, refused, failed, lost;
    char first[200]; /* why the first that is not ok is not */
} RgSweepTally;

/* Tables, manifest and times of a sweep that is complete. false: message printed. */
bool rg_sweep_write(RgSweepPlan *sweep, const RgJournal *journal, RgSweepTally *tally);

/* What is there of the tables already. */
typedef enum RgSweepThere {
    RG_SWEEP_NOTHING, /* no manifest, or lost rows */
    RG_SWEEP_WHOLE,   /* the tables of the same sweep without lost rows */
    RG_SWEEP_OTHER    /* those of another */
} RgSweepThere;
RgSweepThere rg_sweep_there(RgSweepPlan *sweep, RgSweepTally *tally);

#endif
