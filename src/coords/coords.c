/* coords.c - the table of coordinate forms. */
#include "coords/coords_table.h"

#include <rigor/sim.h>

#include <string.h>

static const RgCoordsKind *const kinds[] = {
#define COORDS_ENTRY(name) &rg_coords_##name,
    COORDS_TABLE(COORDS_ENTRY)
#undef COORDS_ENTRY
};

#define KIND_COUNT ((int)(sizeof kinds / sizeof kinds[0]))

int rg_coords_count(void)
{
    return KIND_COUNT;
}

const char *rg_coords_name(int index)
{
    return index >= 0 && index < KIND_COUNT ? kinds[index]->name : NULL;
}

const char *rg_coords_summary(int index)
{
    return index >= 0 && index < KIND_COUNT ? kinds[index]->summary : NULL;
}

int rg_coords_find(const char *name)
{
    for (int i = 0; i < KIND_COUNT; i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return i;
    return -1;
}

const RgCoordsKind *rg_coords_kind(int index)
{
    return kinds[index];
}

RgForm *rg_form_take(RgArena *arena, const RgModel *model, const RgCoordsKind *kind)
{
    RgForm *form = RG_TAKE(arena, RgForm, 1);
    if (form == NULL)
        return NULL;
    form->kind = kind;
    form->model = model;
    form->kin = rg_kin_take(arena, model);
    form->work = rg_tree_work_take(arena, model);
    form->q = RG_TAKE(arena, double, model->nq);
    form->v = RG_TAKE(arena, double, model->nv);
    form->A0 = RG_TAKE(arena, RgMotion, model->nbodies);
    form->diagonal = RG_TAKE(arena, double, model->nv);
    return !arena->failed && kind->prepare(arena, form) ? form : NULL;
}
