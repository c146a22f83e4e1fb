/*
 * shape_pairs.c - which shapes that may touch have no contacts.
 *
 * Collision answers for convex parts against each other, against surfaces of triangles and against half-spaces; not for
 * two surfaces (meshes and fields of heights that are not taken apart into hulls), nor for two half-spaces, which have
 * no distance but where they are parallel. A stepper with fixed steps lets such a pair pass. One that claims that
 * nothing overlaps must not: it asks here when a world is made.
 *
 * Cost: all pairs among shapes of these two kinds, once.
 */
#include "contact/shape_pairs.h"

#include "base/status.h"
#include "collision/pair_filter.h"
#include "collision/space.h"
#include "geom/geometry.h"

static bool is_surface(const RgContactScene *scene, int i)
{
    return scene->geometry[i] != NULL && scene->collider[i].i != 0 && scene->geometry[i]->surface != NULL;
}

static bool is_unbounded(const RgContactScene *scene, int i)
{
    return scene->geometry[i] != NULL && scene->collider[i].i != 0 && !isfinite(scene->geometry[i]->radius);
}

static bool may_touch(const RgContactScene *scene, int a, int b)
{
    const RgFilterTag *tags = scene->space->tags;
    return scene->body[a] != scene->body[b] &&
           rg_pair_filter_allows(&scene->space->filter, &tags[scene->collider[a].i - 1],
                                 &tags[scene->collider[b].i - 1]);
}

/* By its link, or by itself. */
static const char *name_of(const RgModel *m, int shape)
{
    const RgShapeDef *def = &m->shapes[shape].def;
    if (def->link.i > 0)
        return m->links[def->link.i - 1].def.name;
    return def->name != NULL && def->name[0] != '\0' ? def->name : "the world";
}

RgStatus rg_shape_pairs_check(const RgContactScene *scene, RgError *error)
{
    int count = scene != NULL ? scene->model->nshapes : 0;
    for (int a = 0; a < count; a++) {
        bool surface = is_surface(scene, a), unbounded = is_unbounded(scene, a);
        for (int b = a + 1; (surface || unbounded) && b < count; b++) {
            bool unknown = (surface && is_surface(scene, b)) || (unbounded && is_unbounded(scene, b));
            if (!unknown || !may_touch(scene, a, b))
                continue;
            return rg_fail(error, RG_ERR_UNSUPPORTED, NULL, 0,
                           "contacts of '%s' with '%s' cannot be found: both are %s; make one of them of convex "
                           "parts, keep the pair from touching, or take a stepper with fixed steps",
                           name_of(scene->model, a), name_of(scene->model, b),
                           surface ? "surfaces of triangles" : "half-spaces");
        }
    }
    return RG_OK;
}
