/*
 * report.h - `rigor run --report OUT.html`: one file that can be mailed, with the page, the recording, the summary and
 * the settings of a run in it.
 */
#ifndef RIGOR_REPORT_H
#define RIGOR_REPORT_H

#include "run/run.h"

/* false, message printed: this build cannot make reports. */
bool rg_report_possible(const RgPlan *plan);

/* Where the recording of the report is kept until the report is written; NULL: not requested, or there is no place
   for it. The file is made. */
const char *rg_report_recording(RgRun *run);

/* Steps a frame of that recording. */
int rg_report_every(const RgRun *run);

/* Writes the report. false: message printed. */
bool rg_report_write(RgRun *run);

/* Removes that recording. */
void rg_report_discard(RgRun *run);

/* Summary and settings of the report, in the order in which they are shown. */
json_t *rg_report_summary(RgRun *run);
json_t *rg_report_settings(const RgRun *run);

#endif
