/*
 * sdf_base.c - connected parts of an SDF file, and the base option.
 *
 * Links that joints connect form a part (union-find; the first link represents the part). A part with a static link or
 * a joint to the world is held. With the option RG_BASE_FIXED one link of every other part is welded to the world:
 * preferably one that is no joint's child, then the canonical link, then the first link.
 */
#include "scene/sdf.h"

#include <string.h>

/* First link of the part of a link (find, with path halving). */
static RgSdfItem *part_of(RgSdfItem *link)
{
    while (link->together != NULL) {
        if (link->together->together != NULL)
            link->together = link->together->together;
        link = link->together;
    }
    return link;
}

void rg_sdf_part_join(RgSdfItem *parent, RgSdfItem *child)
{
    RgSdfItem *b = part_of(child);
    if (parent == NULL) {
        b->is_held = true;
        return;
    }
    RgSdfItem *a = part_of(parent);
    if (a == b)
        return;
    b->together = a;
    a->is_held |= b->is_held;
}

static int base_rank(const RgSdfItem *link)
{
    const char *canonical = link->scope->canonical;
    return 2 * !link->is_child + (canonical != NULL && strcmp(canonical, link->name) == 0);
}

static void update_best_base(RgSdf *sdf, RgSdfItem *link)
{
    (void)sdf;
    RgSdfItem *part = part_of(link);
    part->is_held |= link->scope->is_static;
    if (part->best == NULL || base_rank(link) > base_rank(part->best))
        part->best = link;
}

static void weld_base(RgSdf *sdf, RgSdfItem *link)
{
    (void)sdf;
    RgSdfItem *part = part_of(link);
    link->is_base = !part->is_held && part->best == link;
}

void rg_sdf_base_choose(RgSdf *sdf)
{
    if (sdf->reader->options->base != RG_BASE_FIXED)
        return;
    rg_sdf_items_visit(sdf, sdf->world, RG_SDF_LINK, update_best_base);
    rg_sdf_items_visit(sdf, sdf->world, RG_SDF_LINK, weld_base);
}
