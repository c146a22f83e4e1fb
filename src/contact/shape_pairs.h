/* shape_pairs.h - pairs of shapes that may touch and whose contacts cannot be computed. */
#ifndef RIGOR_SHAPE_PAIRS_H
#define RIGOR_SHAPE_PAIRS_H

#include "contact/contact_scene.h"

/* RG_ERR_UNSUPPORTED: two triangle surfaces, or two half-spaces, one of which moves, may touch; error (may be NULL)
   names them. scene NULL: nothing can touch. */
RgStatus rg_shape_pairs_check(const RgContactScene *scene, RgError *error);

#endif
