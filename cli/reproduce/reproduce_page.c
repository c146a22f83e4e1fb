/*
 * reproduce_page.c - the pages of experiments: DIR/NAME/index.html with table, figures, text and replay of one
 * experiment, DIR/index.html with a table of all.
 *
 * A page needs only files of its folder: figures are inlined as SVG; replays are pages of the viewer beside it.
 */
#define _XOPEN_SOURCE 700
#include "reproduce/reproduce.h"

#include "io/json_out.h"
#include "io/markdown.h"
#include "io/page.h"
#include "io/read_input.h"
#include "io/replay_page.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char page_head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<style>\n"
    "body { font: 15px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1em; "
    "color: #1c2630 }\n"
    "h1 { font-size: 1.5em } h2 { font-size: 1.2em; margin-top: 2em } h3 { font-size: 1em }\n"
    "table { border-collapse: collapse; margin: 1em 0; width: 100%; font-variant-numeric: tabular-nums }\n"
    "th, td { text-align: left; padding: .3em .6em; border-bottom: 1px solid #dde3e8; vertical-align: top }\n"
    "td.n { text-align: right; white-space: nowrap } th.n { text-align: right }\n"
    ".inside, .better { color: #0a6b3b } .better { font-weight: 600 } .outside, .missing { color: #b0301c; "
    "font-weight: 600 }\n"
    ".skipped, .note { color: #5b6873 } .note { font-size: .92em }\n"
    "svg { width: 100%; max-width: 760px; height: auto; display: block; margin: 1em 0 }\n"
    "iframe { width: 100%; height: 560px; border: 1px solid #dde3e8 }\n"
    "code, pre { background: #f2f5f7; padding: 0 .2em } pre { padding: .6em; overflow-x: auto }\n"
    "</style>\n";

/* ------------------------------------------------------------------ parts */

static void put_element(FILE *out, const char *element, const char *text)
{
    fprintf(out, "<%s>", element);
    rg_html_text(out, text);
    fprintf(out, "</%s>\n", element);
}

static void put_number(FILE *out, double x)
{
    if (isnan(x))
        fputs("<td class=\"n\">-</td>", out);
    else
        fprintf(out, "<td class=\"n\">%.4g</td>", x);
}

static void put_range(FILE *out, const RgJudgedRow *row)
{
    char text[64];
    rg_judged_range(row, text, sizeof text);
    fputs("<td class=\"n\">", out);
    rg_html_text(out, text);
    fputs("</td>", out);
}

static void put_row(FILE *out, const RgJudgedRow *row)
{
    const char *verdict = rg_verdict_name(row->verdict);
    fputs("<tr><td>", out);
    rg_html_text(out, row->name);
    bool tells = row->verdict == RG_VERDICT_outside || row->verdict == RG_VERDICT_skipped;
    if (tells && row->why[0]) {
        fputs("<div class=\"note\">", out);
        rg_html_text(out, row->why);
        fputs("</div>", out);
    }
    fputs("</td>", out);
    put_number(out, row->published);
    put_number(out, row->measured);
    put_number(out, rg_judged_ratio(row));
    put_range(out, row);
    fputs("<td>", out);
    rg_html_text(out, row->unit);
    fprintf(out, "</td><td class=\"%s\">%s</td><td class=\"note\">", verdict, verdict);
    rg_html_text(out, row->source);
    fputs("</td></tr>\n", out);
}

static void put_rows(FILE *out, const RgJudged *judged)
{
    fputs("<table>\n<tr><th></th><th class=\"n\">published</th><th class=\"n\">ours</th><th "
          "class=\"n\">ratio</th>"
          "<th class=\"n\">accepted</th><th></th><th>verdict</th><th>source</th></tr>\n",
          out);
    for (int i = 0; i < judged->nrows; i++)
        put_row(out, &judged->rows[i]);
    fputs("</table>\n", out);
}

/* The text of a file; NULL: not found. */
static char *read_file(RgReproduce *r, const char *path)
{
    size_t size = 0;
    FILE *file = fopen(path, "rb");
    char *data = file ? rg_read_stream(file, &size) : NULL;
    char *text = data ? rg_pool_print(&r->pool, "%.*s", (int)size, data) : NULL;
    free(data);
    if (file)
        fclose(file);
    return text;
}

static void put_figures(RgReproduce *r, FILE *out, const RgJudged *judged)
{
    const char *folder = rg_reproduce_folder(r, judged->experiment);
    for (int i = 0; i < judged->nfigures; i++) {
        const char *name = judged->figures[i].name;
        char *drawing = read_file(r, rg_pool_print(&r->pool, "%s/%s.svg", folder, name));
        char *first = drawing ? strstr(drawing, "<svg") : NULL;
        if (i == 0)
            put_element(out, "h2", "Figures");
        if (first)
            fputs(first, out);
        else
            put_element(out, "p", "The figure is not drawn: gnuplot is needed (Debian: gnuplot-nox).");
        fputs("<p class=\"note\">", out);
        rg_html_text(out, judged->figures[i].text);
        fprintf(out, ". Numbers: <a href=\"%s.dat\">%s.dat</a>, script: <a href=\"%s.gp\">%s.gp</a></p>\n", name, name,
                name, name);
    }
}

/* ------------------------------------------------------------------ films */

static json_t *summary_of(const RgJudged *judged)
{
    json_t *out = json_object();
    json_object_set_new(out, "experiment", rg_json_text(judged->experiment->name));
    json_object_set_new(out, "shown", rg_json_text(judged->experiment->title));
    return out;
}

static bool write_film(RgReproduce *r, const RgJudged *judged, const RgNamedText *film)
{
    const char *folder = rg_reproduce_folder(r, judged->experiment);
    return rg_replay_write(&(RgReplay){.path = rg_pool_print(&r->pool, "%s/%s.html", folder, film->name),
                                       .recording = rg_pool_print(&r->pool, "%s/%s.mcap", folder, film->name),
                                       .name = film->text,
                                       .summary = summary_of(judged),
                                       .settings = json_object()});
}

static bool put_films(RgReproduce *r, FILE *out, const RgJudged *judged)
{
    size_t size;
    bool good = true, has_page = rg_page_bytes(&size) != NULL;
    for (int i = 0; i < judged->nfilms; i++) {
        const RgNamedText *film = &judged->films[i];
        if (i == 0)
            put_element(out, "h2", "Replay");
        put_element(out, "h3", film->text);
        if (has_page) {
            good = write_film(r, judged, film) && good;
            fprintf(out, "<iframe src=\"%s.html\" loading=\"lazy\" title=\"replay\"></iframe>\n", film->name);
        }
        fprintf(out,
                "<p class=\"note\">Recording: <a href=\"%s.mcap\">%s.mcap</a>, played by <code>rigor "
                "view</code></p>\n",
                film->name, film->name);
    }
    return good;
}

/* ------------------------------------------------------------------ pages */

static FILE *begin_page(const char *path, const char *title)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return NULL;
    fputs(page_head, out);
    put_element(out, "title", title);
    fputs("</head>\n<body>\n", out);
    return out;
}

static bool end_page(FILE *out, const char *path)
{
    bool good = out && fputs("</body>\n</html>\n", out) != EOF && !ferror(out);
    if (out)
        good = fclose(out) == 0 && good;
    if (!good)
        fprintf(stderr, "rigor: cannot write '%s': %s\n", path, strerror(errno));
    return good;
}

static void put_texts(FILE *out, const char *heading, const char *const *texts, int count)
{
    if (count > 0)
        put_element(out, "h2", heading);
    for (int i = 0; i < count; i++)
        put_element(out, "p", texts[i]);
}

static bool write_experiment(RgReproduce *r, const RgJudged *judged)
{
    const Experiment *e = judged->experiment;
    const char *path = rg_pool_print(&r->pool, "%s/index.html", rg_reproduce_folder(r, e));
    FILE *out = begin_page(path, e->name);
    if (!out)
        return end_page(out, path);
    fputs("<p class=\"note\"><a href=\"../index.html\">all experiments</a></p>\n", out);
    put_element(out, "h1", rg_pool_print(&r->pool, "%s: %s", e->name, e->title));
    fprintf(out, "<p class=\"note\">rigor %s, %s form: <code>rigor reproduce %s%s</code></p>\n", rg_version(),
            r->quick ? "quick" : "whole", e->name, r->quick ? " --quick" : "");
    put_texts(out, "Failed", judged->failures, judged->nfailures);
    put_rows(out, judged);
    put_texts(out, "Also seen", judged->said, judged->nsaid);
    put_figures(r, out, judged);
    bool good = put_films(r, out, judged);
    char *text = read_file(r, rg_pool_print(&r->pool, "%s/experiments/%s/README.md", r->data, e->name));
    if (text)
        rg_markdown_html(out, text);
    return end_page(out, path) && good;
}

static void put_experiment_line(FILE *out, const RgJudged *judged)
{
    const char *name = judged->experiment->name;
    fprintf(out, "<tr><td><a href=\"%s/index.html\">%s</a><div class=\"note\">", name, name);
    rg_html_text(out, judged->experiment->title);
    fputs("</div></td>", out);
    for (int k = 0; k < RG_VERDICT_COUNT; k++) {
        const char *verdict = judged->count[k] > 0 ? rg_verdict_name((RgVerdict)k) : "skipped";
        fprintf(out, "<td class=\"n %s\">%d</td>", verdict, judged->count[k]);
    }
    fprintf(out, "<td class=\"%s\">%s</td></tr>\n", judged->nfailures > 0 ? "missing" : "inside",
            judged->nfailures > 0 ? "failed" : "done");
}

static bool write_index(RgReproduce *r, const RgJudged *judged, int count)
{
    const char *path = rg_pool_print(&r->pool, "%s/index.html", r->folder);
    FILE *out = begin_page(path, "rigor reproduce");
    if (!out)
        return end_page(out, path);
    put_element(out, "h1", "Published experiments, and ours");
    fprintf(out, "<p>rigor %s, %s form</p>\n<table>\n<tr><th></th>", rg_version(), r->quick ? "quick" : "whole");
    for (int k = 0; k < RG_VERDICT_COUNT; k++)
        fprintf(out, "<th class=\"n\">%s</th>", rg_verdict_name((RgVerdict)k));
    fputs("<th></th></tr>\n", out);
    for (int i = 0; i < count; i++)
        put_experiment_line(out, &judged[i]);
    fprintf(out,
            "</table>\n<p>%.1f %% of the rows are inside or better, of those with a published number %.1f "
            "%%.</p>\n",
            rg_reproduce_share(judged, count, false), rg_reproduce_share(judged, count, true));
    return end_page(out, path);
}

bool rg_reproduce_pages(RgReproduce *r, const RgJudged *judged, int count)
{
    bool good = true;
    for (int i = 0; i < count; i++)
        good = write_experiment(r, &judged[i]) && good;
    return write_index(r, judged, count) && good;
}
