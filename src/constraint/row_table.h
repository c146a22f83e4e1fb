/* row_table.h - the kinds of bilateral rows. */
#ifndef RIGOR_ROW_TABLE_H
#define RIGOR_ROW_TABLE_H

#include "constraint/constraints.h"

#define ROW_TABLE(X) X(tree_joint) X(rotor) X(spring_damper) X(loop_joint) X(coupling) X(field) X(hold)

#define ROW_DECLARE(name) extern const RgRowKind rg_row_##name;
ROW_TABLE(ROW_DECLARE)
#undef ROW_DECLARE

#endif
