/* controller_table.h - the kinds of controllers. */
#ifndef RIGOR_CONTROLLER_TABLE_H
#define RIGOR_CONTROLLER_TABLE_H

#include "control/controller.h"

#define CONTROLLER_TABLE(X)                                                                                            \
    X(pd)                                                                                                              \
    X(pid)                                                                                                             \
    X(implicit_pd)                                                                                                     \
    X(hard)                                                                                                            \
    X(computed_torque)                                                                                                 \
    X(foot_pd)                                                                                                         \
    X(inverse_dynamics)                                                                                                \
    X(least_energy)                                                                                                    \
    X(no_slip)                                                                                                         \
    X(balance)                                                                                                         \
    X(walk)                                                                                                            \
    X(callback)

#define CONTROLLER_DECLARE(name) extern const RgControllerKind rg_controller_##name;
CONTROLLER_TABLE(CONTROLLER_DECLARE)
#undef CONTROLLER_DECLARE

#endif
