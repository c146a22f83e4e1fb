/*
 * quick_keep.c - detects whether a problem has the same layout as the previous one.
 *
 * Islands, colours, the order of patches and their lanes depend on a few integers: the bodies of each patch and row,
 * the number of points, and the articulations of bodies and singles. While these do not change, as in most steps, the
 * derived layout is reused. The integers are recorded in a fixed order and compared one by one, so a reused layout is
 * the one that would be built.
 */
#include "solver/quick/quick_work.h"

/* Records the integers, or compares them. */
typedef struct Writer {
    int32_t *at;
    bool comparing, same;
} Writer;

static inline void put_number(Writer *pen, int32_t number)
{
    if (pen->comparing)
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

static void visit_layout(const RgPatchProblem *p, Writer *pen)
{
    const int32_t head[] = {p->nmovers, p->nsingles, p->ngroups, p->npatches, p->nrows, p->centre != NULL};
    for (int i = 0; i < 6; i++)
        put_number(pen, head[i]);
    if (pen->comparing && !pen->same)
        return;
    for (int32_t i = 0; i < p->nmovers; i++)
        put_number(pen, p->movers[i].group);
    for (int32_t i = 0; i < p->nsingles; i++)
        put_number(pen, p->single_group[i]);
    for (int32_t i = 0; i < p->npatches; i++) {
        put_number(pen, p->patches[i].mover[0]);
        put_number(pen, p->patches[i].mover[1]);
        put_number(pen, p->patches[i].count);
    }
    for (int32_t i = 0; i < p->nrows && pen->same; i++) {
        put_number(pen, p->rows[i].nspans);
        put_number(pen, p->rows[i].patch);
        for (int k = 0; k < p->rows[i].nspans && pen->same; k++) {
            put_number(pen, p->rows[i].span[k].mover);
            put_number(pen, p->rows[i].span[k].single);
        }
    }
}

bool rg_quick_layout_record(RgArena *arena, const RgPatchProblem *p, int32_t **out)
{
    *out = RG_ARENA_ALLOC_RAW(arena, int32_t, count_numbers(p));
    if (arena->failed)
        return false;
    Writer pen = {*out, false, true};
    visit_layout(p, &pen);
    return true;
}

bool rg_quick_layout_matches(const RgPatchProblem *p, int32_t *noted)
{
    Writer pen = {noted, true, true};
    visit_layout(p, &pen);
    return pen.same;
}
