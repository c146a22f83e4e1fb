/*
 * report.h - `rigor run --report OUT.html`: one file with the viewer's page, the recording, the summary and the
 * settings of a run.
 */
#ifndef RIGOR_REPORT_H
#define RIGOR_REPORT_H

#include "run/run.h"

/* false, message printed: this build cannot make reports. */
bool rg_report_possible(const RgPlan *plan);

/* Creates the temporary file for the recording of the report; NULL: not requested, or it cannot be created. */
const char *rg_report_recording(RgRun *run);

/* Steps per frame of that recording. */
int rg_report_every(const RgRun *run);

/* Writes the report. false: message printed. */
bool rg_report_write(RgRun *run);

/* Removes that recording. */
void rg_report_discard(RgRun *run);

/* Summary and settings of the report, in the order in which they are shown. */
json_t *rg_report_summary(RgRun *run);
json_t *rg_report_settings(const RgRun *run);

#endif
