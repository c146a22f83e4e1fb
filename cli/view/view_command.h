/*
 * view_command.h - commands of a viewer to a live simulation: one JSON text, one command.
 *
 *   {"op":"play"} {"op":"pause"} {"op":"reset"} {"op":"release"}
 *   {"op":"step","n":1}                    n optional
 *   {"op":"speed","value":1.0}             0: as fast as possible
 *   {"op":"set","stepper":NAME,"solver":NAME,"dt":S}    at least one of them
 *   {"op":"drag","link":I,"point":[3],"target":[3]}     point in link axes, target in world axes, m
 */
#ifndef RIGOR_VIEW_COMMAND_H
#define RIGOR_VIEW_COMMAND_H

#include <rigor/math.h>

#include <stdbool.h>
#include <stddef.h>

/* Bytes of a message at most. */
enum { RG_VIEW_MESSAGE_MAX = 4096, RG_VIEW_NAME_MAX = 64, RG_VIEW_WHY_MAX = 512 };

/* m: farther than any scene reaches. */
#define RG_VIEW_REACH_MAX 1e6

/* Times real time, and steps at once. */
#define RG_VIEW_SPEED_MAX 1e6
#define RG_VIEW_STEPS_MAX 1000000

typedef enum RgViewOp {
    RG_VIEW_PLAY,
    RG_VIEW_PAUSE,
    RG_VIEW_STEP,
    RG_VIEW_RESET,
    RG_VIEW_SPEED,
    RG_VIEW_SET,
    RG_VIEW_DRAG,
    RG_VIEW_RELEASE
} RgViewOp;

typedef struct RgViewCommand {
    RgViewOp op;
    int steps;                      /* step */
    double speed;                   /* speed */
    char stepper[RG_VIEW_NAME_MAX]; /* set; empty: kept */
    char solver[RG_VIEW_NAME_MAX];  /* set; empty: kept */
    double dt;                      /* set; 0: kept */
    int link;                       /* drag: index into the scene's list of links, from 0 */
    RgVec3 point, target;           /* drag */
} RgViewCommand;

/* Reads a message of size bytes. false: why (RG_VIEW_WHY_MAX) is filled. Does not check names and links. */
bool rg_view_command_parse(const char *text, size_t size, RgViewCommand *out, char *why);

#endif
