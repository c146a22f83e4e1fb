/*
 * plot_look.c - look, terminals, axes and texts of all gnuplot figures.
 *
 * PNG for pages, SVG for the web, PDF for papers, with the same proportions, thin axes on two sides, a light grid and
 * colours that are distinct under red-green colour blindness (Okabe and Ito, 2008). Axes begin and end at multiples of
 * a round step (1, 2 or 5 times a power of ten).
 */
#include "io/plot_look.h"

#include <math.h>
#include <string.h>

enum { LOG_LINES = 5 };

const char rg_plot_look[] =
    "set encoding utf8\n"
    "blue = '#0072B2'; red = '#D55E00'; green = '#009E73'; purple = '#AA4499'; yellow = '#E69F00'; black = "
    "'#222222'\n"
    "set border 3 linewidth 0.7 linecolor rgb '#555555'\n"
    "set tics out nomirror scale 0.5 textcolor rgb black\n"
    "set grid linetype 1 linecolor rgb '#E6E6E6' linewidth 0.5\n"
    "set key above left Left reverse horizontal noenhanced samplen 1.5 textcolor rgb black\n"
    "set style data lines\n";

double rg_plot_round_step(double x)
{
    double power = pow(10.0, floor(log10(x)));
    double digit = x / power;
    return power * (digit <= 1.0 ? 1.0 : digit <= 2.0 ? 2.0 : digit <= 5.0 ? 5.0 : 10.0);
}

void rg_plot_put_axis(FILE *out, char axis, RgPlotRange range, int intervals)
{
    double low = range.low, high = range.high, size = fmax(fabs(low), fabs(high));
    if (!(low <= high)) {
        fprintf(out, "  set %crange [*:*]; set %ctics autofreq\n", axis, axis);
        return;
    }

    /* A line that is constant up to round-off is drawn in the middle. */
    double least = size > 0.0 ? 1e-6 * size : 1.0;
    if (high - low < least) {
        double middle = 0.5 * (low + high), half = size > 0.0 ? 0.5 * size : 1.0;
        low = middle - half;
        high = middle + half;
    }
    double step = rg_plot_round_step((high - low) / intervals);
    low = axis == 'x' ? low : step * floor(low / step + 1e-9);
    high = axis == 'x' ? high : step * ceil(high / step - 1e-9);
    fprintf(out, "  set %crange [%.12g:%.12g]; set %ctics %.12g; set format %c '%%g'\n", axis, low, high, axis, step,
            axis);
}

void rg_plot_put_terminal(FILE *out, const char *format, double width, double height)
{
    if (strcmp(format, "png") == 0)
        fprintf(out, "set terminal pngcairo size %d,%d font 'Sans,9' fontscale 2.4 linewidth 2.4", (int)(100 * width),
                (int)(100 * height));
    else if (strcmp(format, "svg") == 0)
        fprintf(out,
                "set terminal svg size %d,%d font 'Helvetica,Arial,sans-serif,12' linewidth 1.2 background "
                "'white'",
                (int)(50 * width), (int)(50 * height));
    else
        fprintf(out, "set terminal pdfcairo size %gcm,%gcm font 'Sans,9' linewidth 1.2", width, height);
}

/* ------------------------------------------------------------------ texts */

/* Bytes of the UTF-8 character at text; 0: invalid. */
static size_t character_size(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t size = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < size; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;

    /* Overlong encodings, surrogates, code points above U+10FFFF. */
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] >= 0x90))
        return 0;
    return size;
}

static void put_quoted(FILE *out, const char *text, char doubled)
{
    fputc('\'', out);
    while (*text) {
        size_t size = character_size(text);
        if (*text == '\'' || *text == doubled)
            fputc(*text, out);
        if (size == 0)
            fputc('?', out);
        else if ((unsigned char)*text < ' ' || *text == 0x7f)
            fputc(' ', out);
        else
            fwrite(text, 1, size, out);
        text += size > 0 ? size : 1;
    }
    fputc('\'', out);
}

void rg_plot_put_text(FILE *out, const char *text)
{
    put_quoted(out, text, '\'');
}

void rg_plot_put_tic(FILE *out, const char *text)
{
    put_quoted(out, text, '%');
}

void rg_plot_print_log(const char *path)
{
    char line[256];
    FILE *log = fopen(path, "r");
    for (int i = 0; log && i < LOG_LINES && fgets(line, sizeof line, log); i++)
        fprintf(stderr, "gnuplot: %s%s", line, strchr(line, '\n') ? "" : "\n");
    if (log)
        fclose(log);
}
