/*
 * shape_pairs.c - finds shapes that may touch but whose contacts cannot be computed.
 *
 * Collision supports convex parts against each other, against surfaces of triangles and against half-spaces; not two
 * surfaces (meshes and height fields that are not decomposed into hulls), nor two half-spaces, whose distance is
 * defined only if they are parallel. Steppers with fixed steps ignore such a pair. Steppers that guarantee no overlap
 * must not: they check it when a world is created.
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

/* Name of the shape's link, otherwise of the shape. */
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
            bool unsupported = (surface && is_surface(scene, b)) || (unbounded && is_unbounded(scene, b));
            if (!unsupported || !may_touch(scene, a, b))
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
