/*
 * gave_way.h - what was not met in a step: violated targets, saturated efforts and friction.
 *
 * Evaluated after a solve, from the problem and result of that solve: in every inner step of steppers that locate, as
 * their events are; once per step for the others.
 */
#ifndef RIGOR_GAVE_WAY_H
#define RIGOR_GAVE_WAY_H

#include "stepper/stepper.h"

/* Appends what the last solve did not meet to the scope's log: targets and efforts; contacts. u (nu): the velocities it
   found; the form's kinematics are where it was made. */
void rg_gave_way_rows(RgStepScope *scope, const double *u);
void rg_gave_way_contacts(RgStepScope *scope);

/* J u of a row at the form's last kinematics. */
double rg_row_rate(const RgStepScope *scope, const RgRow *row, const double *u);

/* Sorts the log's list; one entry for each joint or pair of shapes and kind, of the largest amount. */
void rg_gave_way_merge(RgStepLog *log);

#endif
