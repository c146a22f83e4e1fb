/*
 * plot_data.c - the data of a run's figures, written row by row to DIR/run.csv, and the run of gnuplot.
 *
 * At most ROWS_MAX rows: in longer runs a row covers several steps, and its step, sweeps, contacts and residual are the
 * extremes since the previous row, so that no peak is lost. An empty field is a missing number (the gap if nothing
 * touches). Memory does not grow with the run.
 *
 * Script and CSV remain in the folder: `gnuplot plots.gp` draws the figures again.
 */
#define _DEFAULT_SOURCE
#include "run/plots.h"

#include "io/error.h"
#include "io/gnuplot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS_MAX = 4000 };

/* ------------------------------------------------------------------ gnuplot */

bool rg_plots_possible(const RgPlan *plan)
{
    bool found = !plan->plots || rg_gnuplot_present();
    if (!found)
        fprintf(stderr, "rigor run: --plots needs gnuplot, which is not installed (Debian: apt-get install "
                        "gnuplot-nox)\n");
    return found;
}

/* ------------------------------------------------------------------ columns */

/* Index of a joint with one axis in the control; -1: not controlled. */
static int find_in_control(const RgRun *run, RgJointId joint)
{
    int n = run->control ? rg_control_joints(run->control) : 0;
    for (int i = 0; i < n; i++)
        if (rg_control_joint(run->control, i).joint.i == joint.i)
            return i;
    return -1;
}

/* Joints with one axis, in the order of the model. */
static void list_joints(RgRun *run, RgPlots *plots)
{
    RgPool *pool = &run->plan.pool;
    int32_t joints = rg_model_info(run->model).joints;
    int column = RG_PLOT_COLUMN_END;
    for (int32_t i = 1; i <= joints; i++) {
        RgJointInfo joint = rg_model_joint(run->model, (RgJointId){i});
        RgMotorReport motor = {.on = false};
        if (joint.nq != 1 || joint.nv != 1)
            continue;
        rg_world_joint_motor(run->world, (RgJointId){i}, 0, &motor);
        int control = find_in_control(run, (RgJointId){i});
        double most = control < 0 ? motor.max_effort : rg_control_joint(run->control, control).max_effort;
        plots->joints = rg_pool_grow(pool, plots->joints, plots->njoints, sizeof *plots->joints);
        plots->joints[plots->njoints++] =
            (RgPlotJoint){.joint = {i},
                          .name = rg_plan_joint_name(&run->plan, run->model, (RgJointId){i}),
                          .unit = joint.is_length[0] ? "m" : "rad",
                          .lower = joint.dof[0].lower,
                          .upper = joint.dof[0].upper,
                          .has_motor = motor.on || control >= 0,
                          .control = control,
                          .target = motor.is_servo || !motor.on ? NAN : motor.velocity,
                          .goal = motor.is_servo ? motor.position : NAN,
                          .most = most,
                          .column = column};
        column += control >= 0 ? 5 : motor.on ? 3 : 2;
    }
    plots->ranges = rg_pool_take(pool, (size_t)column, sizeof *plots->ranges);
    for (int i = 0; i < column; i++)
        plots->ranges[i] = (RgPlotRange){INFINITY, -INFINITY};
}

/* A quoted field; quotes inside are doubled, line breaks become blanks. */
static void put_text(FILE *out, const char *text, const char *ending)
{
    fputs(",\"", out);
    for (; *text; text++)
        if (*text == '"')
            fputs("\"\"", out);
        else
            fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    fprintf(out, "%s\"", ending);
}

static void put_head(const RgPlots *plots)
{
    static const char *const names[] = {
#define RG_PLOT_NAME(name) #name,
        RG_PLOT_COLUMNS(RG_PLOT_NAME)
#undef RG_PLOT_NAME
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        fprintf(plots->csv, "%s%s", i ? "," : "", names[i]);
    for (int i = 0; i < plots->njoints; i++) {
        put_text(plots->csv, plots->joints[i].name, " position");
        put_text(plots->csv, plots->joints[i].name, " rate");
        if (plots->joints[i].has_motor)
            put_text(plots->csv, plots->joints[i].name, " effort");
        if (plots->joints[i].control >= 0) {
            put_text(plots->csv, plots->joints[i].name, " wanted position");
            put_text(plots->csv, plots->joints[i].name, " wanted rate");
        }
    }
    fputc('\n', plots->csv);
}

RgStatus rg_plots_open(RgRun *run, RgError *error)
{
    RgPool *pool = &run->plan.pool;
    const char *folder = run->plan.plots;
    if (!folder)
        return RG_OK;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return rg_error_set(error, RG_ERR_FILE, folder, "cannot make the folder: %s", strerror(errno));
    RgPlots *plots = rg_pool_take(pool, 1, sizeof *plots);
    const char *path = rg_pool_print(pool, "%s/run.csv", folder);
    plots->folder = folder;
    plots->every = (int)fmin(ceil((double)run->steps / ROWS_MAX), RG_PLAN_EVERY_MAX);
    plots->every = plots->every < 1 ? 1 : plots->every;
    plots->energy0 = run->before.kinetic + run->before.potential;
    plots->step_min = INFINITY;
    plots->csv = fopen(path, "w");
    if (!plots->csv)
        return rg_error_set(error, RG_ERR_FILE, path, "cannot write: %s", strerror(errno));
    run->plots = plots;
    list_joints(run, plots);
    put_head(plots);
    return rg_plots_step(run, NULL, false, error);
}

/* ------------------------------------------------------------------ rows */

/* Smallest gap of the points in contact, m; NaN: no contact. */
static double least_gap(RgWorld *world)
{
    const RgContactForce *points;
    int n = rg_world_contact_forces(world, &points);
    double least = NAN;
    for (int i = 0; i < n; i++)
        least = fmin(least, points[i].gap);
    return least;
}

/* Writes the next column; empty for NaN. */
static void put_number(RgPlots *plots, double x)
{
    RgPlotRange *range = &plots->ranges[plots->column];
    if (plots->column++ > 1)
        fputc(',', plots->csv);
    if (!isfinite(x))
        return;
    fprintf(plots->csv, "%.9g", x);
    range->low = fmin(range->low, x);
    range->high = fmax(range->high, x);
}

/* Effort on a driven joint, then the targets of its controller. */
static void put_drive(RgRun *run, const RgPlotJoint *joint)
{
    RgMotorReport motor = {.on = false};
    if (joint->control < 0) {
        bool known = rg_world_joint_motor(run->world, joint->joint, 0, &motor) == RG_OK;
        put_number(run->plots, known ? motor.effort : NAN);
        return;
    }
    RgJointTracking tracking = rg_control_joint(run->control, joint->control);
    put_number(run->plots, tracking.effort);
    put_number(run->plots, tracking.wanted.position);
    put_number(run->plots, tracking.wanted.velocity);
}

static void put_joints(RgRun *run)
{
    RgPlots *plots = run->plots;
    for (int i = 0; i < plots->njoints; i++) {
        double q = NAN, v = NAN;
        rg_world_joint_position(run->world, plots->joints[i].joint, &q);
        rg_world_joint_rate(run->world, plots->joints[i].joint, &v);
        put_number(plots, q);
        put_number(plots, v);
        if (plots->joints[i].has_motor)
            put_drive(run, &plots->joints[i]);
    }
}

static void put_row(RgRun *run, const RgStepReport *report)
{
    RgPlots *plots = run->plots;
    RgMomentum m = {0};
    rg_world_momentum(run->world, &m);
    plots->column = RG_PLOT_t;
    put_number(plots, rg_world_time(run->world));
    put_number(plots, report ? plots->step_min : NAN);
    put_number(plots, m.kinetic);
    put_number(plots, m.potential);
    put_number(plots, m.kinetic + m.potential);
    put_number(plots, m.kinetic + m.potential - plots->energy0);
    put_number(plots, report && plots->residual > 0.0 ? plots->residual : NAN);
    put_number(plots, report ? (double)plots->sweeps : NAN);
    put_number(plots, report ? (double)plots->contacts : NAN);
    put_number(plots, report ? (double)report->islands : NAN);
    put_number(plots, least_gap(run->world));
    put_joints(run);
    fputc('\n', plots->csv);
    plots->rows++;
    plots->residual = 0.0;
    plots->step_min = INFINITY;
    plots->sweeps = plots->contacts = 0;
}

RgStatus rg_plots_step(RgRun *run, const RgStepReport *report, bool at_end, RgError *error)
{
    RgPlots *plots = run->plots;
    if (!plots)
        return RG_OK;
    if (report && !at_end) {
        plots->residual = fmax(plots->residual, report->residual);
        plots->step_min = fmin(plots->step_min, report->h);
        plots->sweeps = report->sweeps > plots->sweeps ? report->sweeps : plots->sweeps;
        plots->contacts = report->contacts > plots->contacts ? report->contacts : plots->contacts;
    }
    bool turn = run->steps_done % plots->every == 0;
    if (at_end ? !turn : turn)
        put_row(run, report);
    return ferror(plots->csv) ? rg_error_set(error, RG_ERR_FILE, plots->folder, "cannot write run.csv") : RG_OK;
}

/* ------------------------------------------------------------------ the end */

bool rg_plots_draw(RgRun *run)
{
    RgPlots *plots = run->plots;
    RgPool *pool = &run->plan.pool;
    if (!plots)
        return true;
    const char *path = rg_pool_print(pool, "%s/plots.gp", plots->folder);
    const char *log = rg_pool_print(pool, "%s/gnuplot.log", plots->folder);
    bool good = fclose(plots->csv) == 0;
    plots->csv = NULL;
    FILE *script = good ? fopen(path, "w") : NULL;
    good = script && rg_plots_write_script(run, script);
    if (script)
        good = fclose(script) == 0 && good;
    if (!good) {
        fprintf(stderr, "rigor: cannot write the plots to '%s': %s\n", plots->folder, strerror(errno));
        return false;
    }
    int code = rg_gnuplot_run(plots->folder, "plots.gp");
    if (code != 0) {
        rg_plot_print_log(log);
        fprintf(stderr, "rigor: gnuplot could not draw the plots (exit code %d); see %s\n", code, path);
        return false;
    }
    unlink(log);
    return true;
}

void rg_plots_free(RgRun *run)
{
    if (run->plots && run->plots->csv)
        fclose(run->plots->csv);
    run->plots = NULL;
}
