/*
 * plot_script.c - the gnuplot script that draws the figures of a run.
 *
 * Figures: energy (parts, and the change of their sum), step (length), residual and sweeps (of the solver), contacts
 * (points, least gap), positions (of joints, with their limits and the targets of servos), rates (with the targets of
 * motors), efforts (of motors, with their limits). Figures that would be empty are left out. Joints get a panel each,
 * PANELS_MAX to a figure: positions, positions_2, ...
 *
 * Every figure is drawn three times: PNG, SVG and PDF, with the look of plot_look.c.
 */
#include "run/plots.h"

#include <math.h>
#include <string.h>

enum { PANELS_MAX = 12, PANELS_WIDE = 3, FILE_NAME_MAX = 64, TICS = 5, DECADES_MAX = 4 };

#define LEVEL_FAR 100.0 /* times the joint's largest value, and in its unit: farther levels are not drawn */

static const char head[] = "# The figures of a run. Draw them again with: gnuplot plots.gp\n"
                           "set datafile separator comma\n"
                           "set datafile columnheaders\n"
                           "data = 'run.csv'\n";

/* ------------------------------------------------------------------ axes */

static void put_axis(FILE *out, char axis, RgPlotRange range)
{
    rg_plot_put_axis(out, axis, range, TICS);
}

/* An axis on a logarithmic scale. */
static void put_log_axis(FILE *out, RgPlotRange range)
{
    double low = floor(log10(range.low) + 1e-9), high = ceil(log10(range.high) - 1e-9);
    if (high - low < 2.0) {
        low -= 1.0;
        high += 1.0;
    }
    double step = ceil((high - low) / DECADES_MAX);
    fprintf(out,
            "  set logscale y; set yrange [1e%.0f:1e%.0f]; set ytics 1e%.0f,1e%.0f; set format y '10^{%%L}'; "
            "unset "
            "mytics\n",
            low, high, low, step);
}

static RgPlotRange join(RgPlotRange a, RgPlotRange b)
{
    return (RgPlotRange){fmin(a.low, b.low), fmax(a.high, b.high)};
}

static RgPlotRange widen(RgPlotRange range, double x)
{
    return isfinite(x) ? join(range, (RgPlotRange){x, x}) : range;
}

/* ------------------------------------------------------------------ figures */

/* Width and height in cm; panels in rows and columns. */
typedef struct Layout {
    double width, height;
    int rows, columns;
} Layout;

/* One page for all three formats. Margins and the room between panels are parts of the page. */
static void begin_figure(FILE *out, const char *name, Layout page)
{
    double w = page.width, h = page.height;
    static const char *const formats[] = {"png", "svg", "pdf"};
    fputs("do for [format in 'png svg pdf'] {\n", out);
    for (int i = 0; i < 3; i++) {
        fprintf(out, "  if (format eq '%s') { ", formats[i]);
        rg_plot_put_terminal(out, formats[i], w, h);
        fputs(" }\n", out);
    }
    fprintf(out,
            "  set output '%s.'.format\n"
            "  set multiplot layout %d,%d margins %.4f,%.4f,%.4f,%.4f spacing %.4f,%.4f\n",
            name, page.rows, page.columns, 1.9 / w, 1.0 - 0.5 / w, 1.25 / h, 1.0 - 0.8 / h, 2.0 / w,
            (page.columns > 1 ? 1.15 : 0.6) / h);
}

static void end_figure(FILE *out)
{
    fputs("  unset multiplot\n  unset output\n}\n\n", out);
}

/* The axis of time: with numbers and a name below the last panel of a column. */
static void put_time(FILE *out, const RgPlots *plots, bool last)
{
    put_axis(out, 'x', plots->ranges[RG_PLOT_t]);
    fputs(last ? "  set xlabel 'time (s)'\n" : "  unset xlabel; set format x ''\n", out);
}

/* ------------------------------------------------------------------ figures of the run */

static void draw_energy(FILE *out, const RgPlots *plots)
{
    const RgPlotRange *r = plots->ranges;
    begin_figure(out, "energy", (Layout){16, 10, 2, 1});
    put_time(out, plots, false);
    put_axis(out, 'y', join(join(r[RG_PLOT_kinetic], r[RG_PLOT_potential]), r[RG_PLOT_energy]));
    fprintf(out,
            "  set ylabel 'energy (J)'\n"
            "  plot data using %d:%d title 'kinetic' linewidth 1.6 linecolor rgb blue, \\\n"
            "       '' using %d:%d title 'potential' linewidth 1.6 linecolor rgb yellow, \\\n"
            "       '' using %d:%d title 'sum' linewidth 1.6 linecolor rgb black\n",
            RG_PLOT_t, RG_PLOT_kinetic, RG_PLOT_t, RG_PLOT_potential, RG_PLOT_t, RG_PLOT_energy);
    put_time(out, plots, true);
    put_axis(out, 'y', widen(r[RG_PLOT_drift], 0.0));
    fprintf(out,
            "  set ylabel 'change of the sum (J)'\n"
            "  plot data using %d:%d notitle linewidth 1.6 linecolor rgb red\n",
            RG_PLOT_t, RG_PLOT_drift);
    end_figure(out);
}

/* A figure with one line. */
typedef struct OneLine {
    const char *name, *label, *colour;
    int column;
    bool logarithmic; /* numbers not above 0 are left out */
} OneLine;

static void draw_line(FILE *out, const RgPlots *plots, const OneLine *line)
{
    begin_figure(out, line->name, (Layout){16, 6.5, 1, 1});
    put_time(out, plots, true);
    if (line->logarithmic)
        put_log_axis(out, plots->ranges[line->column]);
    else
        put_axis(out, 'y', widen(plots->ranges[line->column], 0.0));
    fprintf(out,
            "  set ylabel '%s'\n"
            "  plot data using %d:($%d %s 0 ? $%d : NaN) notitle linewidth 1.6 linecolor rgb %s\n"
            "  unset logscale y\n",
            line->label, RG_PLOT_t, line->column, line->logarithmic ? ">" : ">=", line->column, line->colour);
    end_figure(out);
}

static void draw_contacts(FILE *out, const RgPlots *plots)
{
    const RgPlotRange *r = plots->ranges;
    RgPlotRange gap = r[RG_PLOT_least_gap];
    begin_figure(out, "contacts", (Layout){16, 10, 2, 1});
    put_time(out, plots, false);
    put_axis(out, 'y', widen(join(r[RG_PLOT_contacts], r[RG_PLOT_islands]), 0.0));
    fprintf(out,
            "  set ylabel 'number'\n"
            "  plot data using %d:%d title 'contact points' with steps linewidth 1.6 linecolor rgb blue, \\\n"
            "       '' using %d:%d title 'islands' with steps linewidth 1.6 linecolor rgb yellow\n",
            RG_PLOT_t, RG_PLOT_contacts, RG_PLOT_t, RG_PLOT_islands);
    put_time(out, plots, true);
    put_axis(out, 'y', widen((RgPlotRange){1e3 * gap.low, 1e3 * gap.high}, 0.0));
    fprintf(out,
            "  set ylabel 'least gap (mm)'\n"
            "  plot data using %d:(1e3*$%d) notitle linewidth 1.6 linecolor rgb green\n",
            RG_PLOT_t, RG_PLOT_least_gap);
    end_figure(out);
}

/* ------------------------------------------------------------------ figures of joints */

enum { AIM = 2, LEVELS = 3 };

/* One quantity of every joint, with up to three levels: two bounds and a target. */
typedef struct JointFigure {
    const char *name, *quantity;
    int column; /* offset from that of the joint's position */
    int wanted; /* the same, of its controller's target; 0: none */
    bool motors_only;
    void (*levels)(const RgPlotJoint *joint, double levels[LEVELS]); /* not finite: none */
    void (*unit)(const RgPlotJoint *joint, char text[FILE_NAME_MAX]);
} JointFigure;

static void levels_position(const RgPlotJoint *joint, double levels[LEVELS])
{
    levels[0] = joint->lower;
    levels[1] = joint->upper;
    levels[AIM] = joint->goal;
}

static void unit_position(const RgPlotJoint *joint, char text[FILE_NAME_MAX])
{
    snprintf(text, FILE_NAME_MAX, "%s", joint->unit);
}

static void levels_rate(const RgPlotJoint *joint, double levels[LEVELS])
{
    levels[0] = levels[1] = NAN;
    levels[AIM] = joint->has_motor && joint->control < 0 ? joint->target : NAN;
}

static void unit_rate(const RgPlotJoint *joint, char text[FILE_NAME_MAX])
{
    snprintf(text, FILE_NAME_MAX, "%s/s", joint->unit);
}

static void levels_effort(const RgPlotJoint *joint, double levels[LEVELS])
{
    levels[0] = joint->most;
    levels[1] = -joint->most;
    levels[AIM] = NAN;
}

static void unit_effort(const RgPlotJoint *joint, char text[FILE_NAME_MAX])
{
    snprintf(text, FILE_NAME_MAX, "%s", strcmp(joint->unit, "m") == 0 ? "N" : "N m");
}

static const JointFigure joint_figures[] = {
    {"positions", "position", 0, 3, false, levels_position, unit_position},
    {"rates", "rate", 1, 4, false, levels_rate, unit_rate},
    {"efforts", "effort", 2, 0, true, levels_effort, unit_effort},
};

/* A level so far away that the curve would look flat is NaN. */
static double near_level(double level, RgPlotRange range)
{
    double size = range.low <= range.high ? fmax(fabs(range.low), fabs(range.high)) : 0.0;
    return fabs(level) <= fmax(LEVEL_FAR, LEVEL_FAR * size) ? level : NAN;
}

static void draw_panel(FILE *out, const RgPlots *plots, const JointFigure *figure, const RgPlotJoint *joint)
{
    char unit[FILE_NAME_MAX];
    double levels[LEVELS];
    bool wanted = figure->wanted > 0 && joint->control >= 0;
    RgPlotRange range = plots->ranges[joint->column + figure->column];
    if (wanted)
        range = join(range, plots->ranges[joint->column + figure->wanted]);
    figure->levels(joint, levels);
    figure->unit(joint, unit);
    for (int i = 0; i < LEVELS; i++)
        levels[i] = near_level(levels[i], range);
    put_axis(out, 'y', widen(widen(widen(range, levels[0]), levels[1]), levels[AIM]));
    fputs("  set title ", out);
    rg_plot_put_text(out, joint->name);
    fprintf(out, " noenhanced offset 0,-0.7 textcolor rgb black\n  set ylabel '%s (%s)'\n", figure->quantity, unit);
    fprintf(out, "  plot data using %d:%d notitle linewidth 1.6 linecolor rgb blue", RG_PLOT_t,
            joint->column + figure->column);
    if (wanted)
        fprintf(out, ", \\\n       '' using %d:%d notitle linewidth 1 dashtype 2 linecolor rgb black", RG_PLOT_t,
                joint->column + figure->wanted);
    for (int i = 0; i < LEVELS; i++)
        if (isfinite(levels[i]))
            fprintf(out, ", \\\n       %.9g notitle linewidth 1 dashtype 2 linecolor rgb %s", levels[i],
                    i == AIM ? "black" : "red");
    fputc('\n', out);
}

/* One figure of at most PANELS_MAX joints, starting with *next; advances *next. */
static void draw_page(FILE *out, const RgPlots *plots, const JointFigure *figure, int page, int *next)
{
    const RgPlotJoint *drawn[PANELS_MAX];
    int n = 0;
    for (; *next < plots->njoints && n < PANELS_MAX; ++*next)
        if (!figure->motors_only || plots->joints[*next].has_motor)
            drawn[n++] = &plots->joints[*next];
    if (n == 0)
        return;
    char name[FILE_NAME_MAX];
    snprintf(name, sizeof name, page > 1 ? "%s_%d" : "%s", figure->name, page);
    int columns = n < PANELS_WIDE ? n : PANELS_WIDE, rows = (n + columns - 1) / columns;
    begin_figure(out, name, (Layout){columns == 1 ? 14 : 7.5 * columns, 2.0 + 4.4 * rows, rows, columns});
    for (int i = 0; i < n; i++) {
        put_time(out, plots, i + columns >= n);
        draw_panel(out, plots, figure, drawn[i]);
    }
    fputs("  unset title\n", out);
    end_figure(out);
}

bool rg_plots_write_script(const RgRun *run, FILE *out)
{
    static const OneLine step = {"step", "step (s)", "blue", RG_PLOT_step, true};
    static const OneLine residual = {"residual", "residual", "purple", RG_PLOT_residual, true};
    static const OneLine sweeps = {"sweeps", "sweeps", "purple", RG_PLOT_sweeps, false};
    const RgPlots *plots = run->plots;
    fputs(head, out);
    fputs(rg_plot_look, out);
    fputc('\n', out);
    draw_energy(out, plots);
    if (plots->ranges[RG_PLOT_step].high > 0.0)
        draw_line(out, plots, &step);
    if (plots->ranges[RG_PLOT_residual].high > 0.0)
        draw_line(out, plots, &residual);
    if (plots->ranges[RG_PLOT_sweeps].high > 0.0)
        draw_line(out, plots, &sweeps);
    if (plots->ranges[RG_PLOT_contacts].high > 0.0)
        draw_contacts(out, plots);
    for (size_t f = 0; f < sizeof joint_figures / sizeof joint_figures[0]; f++)
        for (int next = 0, page = 1; next < plots->njoints; page++)
            draw_page(out, plots, &joint_figures[f], page, &next);
    return !ferror(out);
}
