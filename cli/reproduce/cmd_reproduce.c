/*
 * cmd_reproduce.c - `rigor reproduce`: runs experiments of the papers and of other publications, and compares the
 * results with the published ones.
 *
 * Names are those of the folders of experiments/, or their first parts: 000 is all of paper 000, 000-A one of its
 * experiments.
 */
#define _XOPEN_SOURCE 700
#include "experiment_table.h"
#include "io/command.h"
#include "io/data_folder.h"
#include "io/json_out.h"
#include "io/options.h"
#include "reproduce/reproduce.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPERIMENT_ENTRY(name) &experiment_##name,
static const Experiment *const experiments[] = {EXPERIMENT_TABLE(EXPERIMENT_ENTRY)};
#undef EXPERIMENT_ENTRY
enum { EXPERIMENTS = sizeof experiments / sizeof experiments[0], JOBS_MOST = 64 };

static const RgOptionSpec reproduce_options[] = {
    {"all", NULL, "every experiment"},
    {"quick", NULL, "the short form: fewer rows, shorter runs, same accepted ranges"},
    {"report", "DIR",
     "write results, figures and pages (index.html) there; results of the same form and program are "
     "used again"},
    {"fresh", NULL, "with --report: run all experiments again"},
    {"demand", "P", "exit code 1 if fewer than P per cent of the rows are inside or better"},
    {"jobs", "N", "experiments at once (default: processors)"},
    {"json", "OUT|-", "write the rows as JSON, - for the standard output instead of the table"},
    {"quiet", NULL, "no progress bar"},
};

static void print_list(void)
{
    for (int i = 0; i < EXPERIMENTS; i++)
        printf("  %-26s %s\n", experiments[i]->name, experiments[i]->title);
}

static void print_experiments(void)
{
    printf("\nExperiments:\n");
    print_list();
}

/* ------------------------------------------------------------------ which */

static bool is_chosen(const RgReproduce *r, const Experiment *experiment)
{
    for (int i = 0; i < r->nexperiments; i++)
        if (r->experiments[i] == experiment)
            return true;
    return false;
}

static void choose(RgReproduce *r, const Experiment *experiment)
{
    if (is_chosen(r, experiment))
        return;
    r->experiments = rg_pool_grow(&r->pool, r->experiments, r->nexperiments, sizeof *r->experiments);
    r->experiments[r->nexperiments++] = experiment;
}

static bool choose_by_name(RgReproduce *r, const RgOptions *options, const char *name)
{
    RgNearest nearest = rg_nearest_begin(name);
    size_t length = strlen(name);
    int before = r->nexperiments, matches = 0;
    for (int i = 0; i < EXPERIMENTS; i++) {
        const char *own = experiments[i]->name;
        bool begins = strncasecmp(own, name, length) == 0 && (own[length] == '-' || own[length] == '\0');
        if (begins)
            choose(r, experiments[i]);
        matches += begins;
        rg_nearest_offer(&nearest, own);
    }
    if (matches > 0 || r->nexperiments > before)
        return true;
    return rg_options_complain(options, "no experiment is called '%s'%s%s%s; `rigor reproduce LIST` names them", name,
                               nearest.best ? ", did you mean '" : "", nearest.best ? nearest.best : "",
                               nearest.best ? "'" : "");
}

static bool choose_all(RgReproduce *r, const RgOptions *options)
{
    bool all = rg_options_has(options, "all");
    for (int i = 0; all && i < EXPERIMENTS; i++)
        choose(r, experiments[i]);
    for (int i = 0; i < options->nfiles; i++)
        if (!choose_by_name(r, options, options->files[i]))
            return false;
    return r->nexperiments > 0 || rg_options_complain(options, "expected LIST, the name of an experiment, or --all");
}

/* ------------------------------------------------------------------ where */

/* Identifies the program and the models that results belong to; independent of the order of files in the folder. */
static void make_mark(RgReproduce *r)
{
    uint64_t mark = rg_mark_file(RG_MARK_START, rg_command_path(&r->pool));
    const char *folder = rg_pool_print(&r->pool, "%s/models", r->data);
    DIR *models = opendir(folder);
    for (struct dirent *entry; models && (entry = readdir(models));)
        if (entry->d_name[0] != '.')
            mark += rg_mark_file(RG_MARK_START, rg_pool_print(&r->pool, "%s/%s", folder, entry->d_name));
    if (models)
        closedir(models);
    snprintf(r->mark, sizeof r->mark, "%016llx", (unsigned long long)mark);
}

static bool make_folder(RgReproduce *r, const char *wanted)
{
    const char *temporary = getenv("TMPDIR");
    r->has_report = wanted != NULL;
    if (wanted) {
        r->folder = wanted;
        struct stat at;
        if (mkdir(wanted, 0777) == 0 || (errno == EEXIST && stat(wanted, &at) == 0 && S_ISDIR(at.st_mode)))
            return true;
    } else {
        char *path =
            rg_pool_print(&r->pool, "%s/rigor-reproduce-XXXXXX", temporary && temporary[0] ? temporary : "/tmp");
        r->folder = path;
        if (mkdtemp(path))
            return true;
    }
    fprintf(stderr, "rigor: '%s': %s\n", r->folder, strerror(errno));
    return false;
}

/* Removes a temporary folder with its folders of files. */
static void remove_folder(RgReproduce *r)
{
    for (int i = 0; i < r->nexperiments; i++) {
        const char *folder = rg_reproduce_folder(r, r->experiments[i]);
        DIR *files = opendir(folder);
        for (struct dirent *entry; files && (entry = readdir(files));)
            if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
                unlink(rg_pool_print(&r->pool, "%s/%s", folder, entry->d_name));
        if (files)
            closedir(files);
        rmdir(folder);
    }
    rmdir(r->folder);
}

/* ------------------------------------------------------------------ the command */

static int print_results(RgReproduce *r, const RgOptions *options, const RgJudged *judged)
{
    const char *json = rg_options_value(options, "json");
    bool good = true, to_stdout = json && strcmp(json, "-") == 0;
    for (int i = 0; i < r->nexperiments; i++) {
        good = good && judged[i].nfailures == 0 && judged[i].count[RG_VERDICT_missing] == 0;
        if (!to_stdout)
            rg_reproduce_print(&judged[i]);
    }
    if (!to_stdout)
        rg_reproduce_print_sum(r, judged);
    if (json) {
        json_t *all = r->nexperiments == 1 ? rg_reproduce_json(r, judged) : json_array();
        for (int i = 0; json_is_array(all) && i < r->nexperiments; i++)
            json_array_append_new(all, rg_reproduce_json(r, &judged[i]));
        good = rg_json_write(all, json) && good;
    }
    return good ? RG_EXIT_OK : RG_EXIT_FAILED;
}

/* Pages of the chosen experiments and of others with results in the folder, in the order of the table. */
static bool write_pages(RgReproduce *r, const RgJudged *judged)
{
    RgJudged *all = rg_pool_take(&r->pool, EXPERIMENTS, sizeof *all);
    int count = 0;
    for (int i = 0; i < EXPERIMENTS; i++) {
        int chosen = 0;
        while (chosen < r->nexperiments && r->experiments[chosen] != experiments[i])
            chosen++;
        if (chosen < r->nexperiments)
            all[count++] = judged[chosen];
        else if (rg_reproduce_has(r, experiments[i]) && rg_reproduce_judge(r, experiments[i], &all[count]))
            count++;
    }
    return rg_reproduce_pages(r, all, count);
}

static int reproduce(RgReproduce *r, const RgOptions *options, double demand)
{
    size_t n = (size_t)r->nexperiments;
    RgJudged *judged = rg_pool_take(&r->pool, n, sizeof *judged);
    double *seconds = rg_pool_take(&r->pool, n, sizeof *seconds);
    if (!rg_reproduce_run(r, seconds)) {
        /* The pages show what is there. */
        if (r->has_report) {
            r->nexperiments = 0;
            write_pages(r, judged);
        }
        return RG_EXIT_FAILED;
    }
    for (size_t i = 0; i < n; i++) {
        if (!rg_reproduce_judge(r, r->experiments[i], &judged[i]))
            return RG_EXIT_USAGE;
        judged[i].seconds = seconds[i];
    }
    int code = print_results(r, options, judged);
    double share = rg_reproduce_share(judged, r->nexperiments, false);
    if (share < demand) {
        fprintf(stderr, "rigor: %.1f %% of the rows are inside or better; --demand is %g %%\n", share, demand);
        code = RG_EXIT_FAILED;
    }
    if (r->has_report && !write_pages(r, judged))
        code = RG_EXIT_FAILED;
    const char *json = rg_options_value(options, "json");
    if (r->has_report && !(json && strcmp(json, "-") == 0))
        printf("pages: %s/index.html\n", r->folder);
    return code;
}

static int prepare(RgReproduce *r, const RgOptions *options)
{
    double demand = 0.0;
    if (!rg_options_whole(options, "jobs", 1.0, JOBS_MOST, &r->jobs) ||
        !rg_options_number(options, "demand", 0.0, 100.0, &demand) || !choose_all(r, options))
        return RG_EXIT_USAGE;
    if (r->fresh && !rg_options_has(options, "report")) {
        rg_options_complain(options, "--fresh needs --report");
        return RG_EXIT_USAGE;
    }
    r->data = rg_data_folder(&r->pool, "experiments");
    if (!r->data) {
        fprintf(stderr,
                "rigor reproduce: the folder with experiments/ and models/ is not found: name it in the variable "
                "RIGOR_DATA\n");
        return RG_EXIT_USAGE;
    }
    make_mark(r);
    if (!make_folder(r, rg_options_value(options, "report")))
        return RG_EXIT_USAGE;
    int code = reproduce(r, options, demand);
    if (!r->has_report)
        remove_folder(r);
    return code;
}

static int run_reproduce(const RgOptions *options)
{
    if (options->nfiles == 1 && strcasecmp(options->file, "LIST") == 0) {
        print_list();
        return RG_EXIT_OK;
    }
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    RgReproduce r = {.quick = rg_options_has(options, "quick"),
                     .fresh = rg_options_has(options, "fresh"),
                     .quiet = rg_options_has(options, "quiet"),
                     .jobs = processors > 0 ? (int)processors : 1};
    int code = prepare(&r, options);
    rg_pool_free(&r.pool);
    return code;
}

RG_COMMAND(reproduce, "run published experiments, and compare with the published results", .run = run_reproduce,
           .notes =
               "LIST names the experiments. NAME: one of them, or the parts with which several begin (000, 000-A, "
               "published).\n"
               "Verdicts: inside the accepted range; better: beyond it on the side that the source counts as better "
               "than its own figure;\n"
               "outside; skipped: it cannot be measured here (too few processors, say); missing: not measured.\n"
               "JSON: {experiment, rows: [{name, published, measured, low, high, verdict, ...}]}, of several "
               "experiments a list of these.\n"
               "Exit code 1: an experiment failed, a row is missing, or it was interrupted. Rows outside are told, and "
               "are no failure of the "
               "command.\n",
           .print_lists = print_experiments, .max_files = RG_OPTIONS_FILES_ANY, .operands = "LIST|NAME...|--all",
           .file_optional = true);
