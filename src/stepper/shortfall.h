/*
 * shortfall.h - shortfalls of a step: violated targets, saturated efforts, slipping contacts, contradictions.
 *
 * Evaluated from the problem and result of a solve: in every inner step of steppers that locate events, once per step
 * of all others.
 */
#ifndef RIGOR_SHORTFALL_H
#define RIGOR_SHORTFALL_H

#include "stepper/stepper.h"

/* Append the shortfalls of the last solve to the scope's log: of rows (targets, efforts), and of contacts. u (nu): the
   velocities found by that solve. Requires the form's kinematics at the positions of that solve. */
void rg_shortfall_rows(RgStepScope *scope, const double *u);
void rg_shortfall_contacts(RgStepScope *scope);

/* J u of a row at the form's last kinematics. */
double rg_row_rate(const RgStepScope *scope, const RgRow *row, const double *u);

/* Sorts the log's list and keeps one entry, of the largest amount, for each kind and joint or pair of shapes. */
void rg_shortfall_merge(RgStepLog *log);

#endif
