/*
 * cmd_table.h - the commands of `rigor`. FOLDER/cmd_x.c defines the const RgCommand rg_command_x.
 */
#ifndef RIGOR_CMD_TABLE_H
#define RIGOR_CMD_TABLE_H

#include "io/command.h"

#define RG_COMMAND_TABLE(X)                                                                                            \
    X(run)                                                                                                             \
    X(info)                                                                                                            \
    X(doctor)                                                                                                          \
    X(collide)                                                                                                         \
    X(view) X(export) X(solve) X(verify) X(converge) X(maxstep) X(tune) X(reproduce) X(sweep) X(plot) X(settings)

#define RG_COMMAND_DECLARE(name) extern const RgCommand rg_command_##name;
RG_COMMAND_TABLE(RG_COMMAND_DECLARE)
#undef RG_COMMAND_DECLARE

#endif
