/*
 * lab_figure.c - figures of an experiment: the points of its curves in FIGURE.dat, a gnuplot script in FIGURE.gp.
 *
 * Curves are blocks of the data file, separated by two blank lines. Both files remain: `gnuplot FIGURE.gp` draws the
 * figure again.
 */
#include "lab.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { CURVES_MAX = 48, LABEL_MAX = 96 };

struct LabFigure {
    LabFigure *next;
    Lab *lab;
    LabFigureDef def;
    FILE *data;
    int ncurves;
    LabStyle style[CURVES_MAX];
    char label[CURVES_MAX][LABEL_MAX];
    long points;
};

LabFigure *lab_figure(Lab *lab, const LabFigureDef *def)
{
    LabFigure *figure = lab_take(lab, sizeof *figure), **last = lab_first_figure(lab);
    *figure = (LabFigure){.lab = lab, .def = *def};
    figure->def.name = lab_print(lab, "%s", def->name);
    figure->def.title = lab_print(lab, "%s", def->title);
    figure->def.x = lab_print(lab, "%s", def->x);
    figure->def.y = lab_print(lab, "%s", def->y);
    figure->data = fopen(lab_print(lab, "%s/%s.dat", lab_folder(lab), def->name), "w");
    while (*last)
        last = &(*last)->next;
    *last = figure;
    return figure;
}

void lab_curve(LabFigure *figure, LabStyle style, const char *format, ...)
{
    if (!figure->data || figure->ncurves == CURVES_MAX)
        return;
    va_list list;
    va_start(list, format);
    vsnprintf(figure->label[figure->ncurves], LABEL_MAX, format, list);
    va_end(list);
    if (figure->ncurves > 0)
        fputs("\n\n", figure->data);
    fprintf(figure->data, "# %s\n", figure->label[figure->ncurves]);
    figure->style[figure->ncurves++] = style;
}

void lab_point(LabFigure *figure, double x, double y)
{
    if (!figure->data || figure->ncurves == 0)
        return;
    if (isfinite(x) && isfinite(y))
        fprintf(figure->data, "%.9g %.9g\n", x, y);
    else
        fputs("nan nan\n", figure->data); /* not an empty line, since two would begin another curve */
    figure->points++;
}

/* ------------------------------------------------------------------ the script */

/* Within double quotes of gnuplot. */
static void put_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text == '\n' ? ' ' : *text, out);
    }
}

static void put_setting(FILE *out, const char *what, const char *text)
{
    fprintf(out, "set %s \"", what);
    put_text(out, text);
    fputs("\"\n", out);
}

static void put_curve(FILE *out, const LabFigure *figure, int curve)
{
    static const char *const with[] = {[LAB_LINES] = "lines lw 2",
                                       [LAB_POINTS] = "points pt 7 ps 0.6",
                                       [LAB_LINES_POINTS] = "linespoints lw 2 pt 7 ps 0.6",
                                       [LAB_STEPS] = "steps lw 2",
                                       [LAB_DASHED] = "linespoints lw 1.5 dt 2 lc rgb '#555555' pt 6 ps 0.7"};
    fprintf(out, "%s \"%s.dat\" index %d using 1:2 with %s title \"", curve == 0 ? "plot" : ",", figure->def.name,
            curve, with[figure->style[curve]]);
    put_text(out, figure->label[curve]);
    fputs("\" noenhanced", out);
}

static bool write_script(LabFigure *figure)
{
    const LabFigureDef *def = &figure->def;
    FILE *out = fopen(lab_print(figure->lab, "%s/%s.gp", lab_folder(figure->lab), def->name), "w");
    if (!out)
        return false;
    fprintf(out, "# Draw it again with: gnuplot %s.gp\n", def->name);
    fprintf(out,
            "set terminal svg size 760,480 dynamic font 'sans,12' background rgb 'white'\n"
            "set output \"%s.svg\"\nset grid lc rgb '#dddddd'\nset key below noenhanced\n",
            def->name);
    put_setting(out, "title", def->title);
    put_setting(out, "xlabel", def->x);
    put_setting(out, "ylabel", def->y);
    if (def->log_x)
        fputs("set logscale x\nset format x '%g'\n", out);
    if (def->log_y)
        fputs("set logscale y\nset format y '%g'\n", out);
    if (def->same_scale)
        fputs("set size ratio -1\n", out);
    if (def->y_low < def->y_high)
        fprintf(out, "set yrange [%g:%g]\n", def->y_low, def->y_high);
    for (int i = 0; i < figure->ncurves; i++)
        put_curve(out, figure, i);
    fputs("\n", out);
    return fclose(out) == 0;
}

bool lab_figures_close(Lab *lab)
{
    bool good = true;
    for (LabFigure *figure = *lab_first_figure(lab); figure; figure = figure->next) {
        bool written = figure->data && fclose(figure->data) == 0 && write_script(figure);
        good = good && written;
        if (written && figure->points > 0)
            lab_record(lab, "figure", figure->def.name, (double)figure->ncurves, figure->def.title);
    }
    return good;
}
