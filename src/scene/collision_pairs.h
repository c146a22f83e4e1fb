/* collision_pairs.h - what a robot or world file says about who may touch whom, as pairs of links. */
#ifndef RIGOR_COLLISION_PAIRS_H
#define RIGOR_COLLISION_PAIRS_H

#include "scene/reader.h"

/* More pairs than this, or more steps to find them, are an error: groups of groups could make billions. */
#define RG_COLLISION_PAIRS_MAX 1000000

/* How a name finds its link once all links are in the builder; a null id is the world. False: there is
   none. */
typedef bool RgLinkFind(void *context, const char *name, RgLinkId *out);

/* Does an element hold anything that rg_collision_pairs_read reads? */
bool rg_collision_pairs_present(const RgXml *element);

/* Adds the pairs that the children of an element speak of to the builder. */
void rg_collision_pairs_read(RgReader *reader, const RgXml *element, RgLinkFind *find, void *context);

#endif
