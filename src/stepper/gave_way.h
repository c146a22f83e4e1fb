/*
 * gave_way.h - what gave way in a step where not all that was asked for could be had: targets, efforts, friction.
 *
 * Judged after a solve, from the rows and contacts of the contact stage. Steppers that locate are looked at inner step by inner
 * step, as their events are; the others once, when they are through.
 */
#ifndef RIGOR_GAVE_WAY_H
#define RIGOR_GAVE_WAY_H

#include "stepper/stepper.h"

/* Appends what the last solve could not have to the scope's log: targets and efforts; contacts. u (nu): the velocities it
   found; the form's kinematics are where it was made. */
void rg_gave_way_rows(RgStepScope *scope, const double *u);
void rg_gave_way_contacts(RgStepScope *scope);

/* Brings the log's list into order, one entry for each joint or pair of shapes and kind, of the largest amount. */
void rg_gave_way_merge(RgStepLog *log);

#endif
