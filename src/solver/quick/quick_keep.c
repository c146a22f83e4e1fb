/*
 * quick_keep.c - whether a problem is laid out as the one before it.
 *
 * Islands, colours, the order of patches and which of them stand side by side follow from a few whole numbers: who
 * touches whom with how many points, and what belongs to which group. While these stay, as they do in most steps, so
 * does all that was made of them. The numbers are written one after another and compared one by one, so that what
 * is kept is always what would be made anew.
 */
#include "solver/quick/quick_work.h"

/* Writes the numbers, or compares them. */
typedef struct Pen {
    int32_t *at;
    bool compares, same;
} Pen;

static inline void put(Pen *pen, int32_t number)
{
    if (pen->compares)
        pen->same = pen->same && *pen->at == number;
    else
        *pen->at = number;
    pen->at++;
}

static int64_t count_numbers(const RgPatchProblem *p)
{
    int64_t count = 6 + p->nmovers + p->nsingles + 3 * (int64_t)p->npatches;
    for (int32_t i = 0; i < p->nrows; i++)
        count += 2 + 2 * p->rows[i].nspans;
    return count;
}

static void go_through(const RgPatchProblem *p, Pen *pen)
{
    const int32_t head[] = {p->nmovers, p->nsingles, p->ngroups, p->npatches, p->nrows, p->centre != NULL};
    for (int i = 0; i < 6; i++)
        put(pen, head[i]);
    if (pen->compares && !pen->same)
        return;
    for (int32_t i = 0; i < p->nmovers; i++)
        put(pen, p->movers[i].group);
    for (int32_t i = 0; i < p->nsingles; i++)
        put(pen, p->single_group[i]);
    for (int32_t i = 0; i < p->npatches; i++) {
        put(pen, p->patches[i].mover[0]);
        put(pen, p->patches[i].mover[1]);
        put(pen, p->patches[i].count);
    }
    for (int32_t i = 0; i < p->nrows && pen->same; i++) {
        put(pen, p->rows[i].nspans);
        put(pen, p->rows[i].patch);
        for (int k = 0; k < p->rows[i].nspans && pen->same; k++) {
            put(pen, p->rows[i].span[k].mover);
            put(pen, p->rows[i].span[k].single);
        }
    }
}

bool rg_quick_layout_note(RgArena *arena, const RgPatchProblem *p, int32_t **out)
{
    *out = RG_TAKE_RAW(arena, int32_t, count_numbers(p));
    if (arena->failed)
        return false;
    Pen pen = {*out, false, true};
    go_through(p, &pen);
    return true;
}

bool rg_quick_layout_same(const RgPatchProblem *p, int32_t *noted)
{
    Pen pen = {noted, true, true};
    go_through(p, &pen);
    return pen.same;
}
