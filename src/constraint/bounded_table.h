/* bounded_table.h - the kinds of bounded rows. */
#ifndef RIGOR_BOUNDED_TABLE_H
#define RIGOR_BOUNDED_TABLE_H

#include "constraint/bounded_rows.h"

#define BOUNDED_TABLE(X) X(limit) X(velocity_limit) X(dry_friction) X(motor) X(drive) X(user)

enum {
#define BOUNDED_NUMBER(name) RG_BOUNDED_##name,
    BOUNDED_TABLE(BOUNDED_NUMBER)
#undef BOUNDED_NUMBER
        RG_BOUNDED_KINDS
};

#define BOUNDED_DECLARE(name) extern const RgBoundedKind rg_bounded_##name;
BOUNDED_TABLE(BOUNDED_DECLARE)
#undef BOUNDED_DECLARE

#endif
