/* collision_pairs.h - collision filters of a robot or world file, as pairs of links that may or may not touch. */
#ifndef RIGOR_COLLISION_PAIRS_H
#define RIGOR_COLLISION_PAIRS_H

#include "scene/reader.h"

/* Largest number of pairs, and of steps to find them; more is an error. Nested groups could make billions of pairs. */
#define RG_COLLISION_PAIRS_MAX 1000000

/* Looks up a link by name, once all links are in the builder. *out: its id, null for the world. False: there is
   none. */
typedef bool RgLinkFind(void *context, const char *name, RgLinkId *out);

/* Whether an element has children that rg_collision_pairs_read reads. */
bool rg_collision_pairs_present(const RgXml *element);

/* Adds the pairs given by the children of an element to the builder. */
void rg_collision_pairs_read(RgReader *reader, const RgXml *element, RgLinkFind *find, void *context);

#endif
