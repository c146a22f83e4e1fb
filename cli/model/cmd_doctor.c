/*
 * cmd_doctor.c - `rigor doctor FILE`: what is impossible (error), doubtful (warning) or good to know (note)
 * about a model.
 *
 * Runs every check of doctor.h, then adds the remarks of the readers that no check reports. A model that the library
 * refuses to build is an error itself.
 *
 * Exit code: 0 clean or warnings and notes only, 1 errors, 2 the file cannot be read.
 */
#include "model/doctor.h"

#include "io/command.h"
#include "io/json_out.h"
#include "io/options.h"
#include "plan/plan_open.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FINDINGS_SHOWN = 6 }; /* warnings and notes of each check in the text */

static const RgOptionSpec doctor_options[] = {
    {"json", "OUT|-", "write JSON to a file, or - for the standard output instead of the text"},
    RG_LOAD_OPTIONS,
};

void rg_diagnosis_add(RgDiagnosis *diagnosis, RgFinding finding, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    RgPool *pool = &diagnosis->plan->pool;
    finding.text = rg_pool_print(pool, "%s", text);
    diagnosis->findings = rg_pool_grow(pool, diagnosis->findings, diagnosis->nfindings, sizeof *diagnosis->findings);
    diagnosis->findings[diagnosis->nfindings++] = finding;
    diagnosis->errors += finding.is_error;
    diagnosis->notes += finding.is_note;
}

/* Whether a check reports the remark: same line, or same missing mesh. */
static bool is_known(const RgDiagnosis *diagnosis, int own, const RgRemark *remark)
{
    for (int i = 0; i < own; i++) {
        const RgFinding *finding = &diagnosis->findings[i];
        if (finding->is_note)
            continue;
        if (remark->line > 0 && finding->line == remark->line)
            return true;
        if (finding->uri && strstr(remark->text, finding->uri))
            return true;
    }
    return false;
}

static void add_remarks(RgDiagnosis *diagnosis)
{
    const RgPlan *plan = diagnosis->plan;
    int own = diagnosis->nfindings;
    for (int i = 0; i < plan->nremarks; i++) {
        const RgRemark *remark = &plan->remarks[i];
        RgFinding finding = {.check = "reader", .file = remark->file, .line = remark->line, .value = NAN};
        if (!is_known(diagnosis, own, remark))
            rg_diagnosis_add(diagnosis, finding, "%s", remark->text);
    }
}

/* ------------------------------------------------------------------ output */

static const char *severity(const RgFinding *finding)
{
    return finding->is_error ? "error" : finding->is_note ? "note" : "warning";
}

static void print_finding(const RgFinding *finding)
{
    printf("%s: %s: ", severity(finding), finding->check);
    if (finding->subject)
        printf("%s: ", finding->subject);
    printf("%s", finding->text);
    if (finding->file && finding->line > 0)
        printf(" (%s:%d)", finding->file, finding->line);
    else if (finding->file)
        printf(" (%s)", finding->file);
    else if (finding->line > 0)
        printf(" (line %d)", finding->line);
    printf("\n");
}

/* Errors, warnings or notes; of the last two FINDINGS_SHOWN per check, since a robot may lack fifty meshes. */
static void print_findings(const RgDiagnosis *diagnosis, const char *kind)
{
    for (int i = 0; i < diagnosis->nfindings; i++) {
        const RgFinding *finding = &diagnosis->findings[i];
        int before = 0, after = 0;
        for (int k = 0; k < diagnosis->nfindings; k++) {
            bool same = strcmp(severity(&diagnosis->findings[k]), kind) == 0 &&
                        strcmp(diagnosis->findings[k].check, finding->check) == 0;
            before += same && k < i;
            after += same && k > i;
        }
        if (strcmp(severity(finding), kind) != 0)
            continue;
        if (finding->is_error || before < FINDINGS_SHOWN)
            print_finding(finding);
        if (!finding->is_error && before == FINDINGS_SHOWN - 1 && after > 0)
            printf("%s: %s: ... and %d more (--json lists all)\n", kind, finding->check, after);
    }
}

static void print_text(const RgDiagnosis *diagnosis)
{
    print_findings(diagnosis, "error");
    print_findings(diagnosis, "warning");
    print_findings(diagnosis, "note");
    const RgInertiaRatio *worst = &diagnosis->worst;
    if (worst->ratio > 0.0)
        printf("largest inertia ratio across a joint: %.4g, %s to %s at %s\n", worst->ratio, worst->heavy, worst->light,
               worst->joint);
    int errors = diagnosis->errors, warnings = diagnosis->nfindings - errors - diagnosis->notes;
    printf("%s: %d %s, %d %s\n", diagnosis->plan->path, errors, errors == 1 ? "error" : "errors", warnings,
           warnings == 1 ? "warning" : "warnings");
}

static json_t *json_finding(const RgFinding *finding)
{
    return RG_JSON_OBJECT({"check", json_string(finding->check)}, {"subject", rg_json_text(finding->subject)},
                          {"text", rg_json_text(finding->text)}, {"value", rg_json_number(finding->value)},
                          {"file", rg_json_text(finding->file)},
                          {"line", finding->line > 0 ? json_integer(finding->line) : json_null()});
}

static json_t *json_diagnosis(const RgDiagnosis *diagnosis)
{
    json_t *errors = json_array(), *warnings = json_array(), *notes = json_array();
    for (int i = 0; i < diagnosis->nfindings; i++) {
        const RgFinding *finding = &diagnosis->findings[i];
        json_array_append_new(finding->is_error ? errors : finding->is_note ? notes : warnings, json_finding(finding));
    }
    const RgInertiaRatio *worst = &diagnosis->worst;
    json_t *ratio = json_null();
    if (worst->ratio > 0.0) {
        ratio = json_pack("{s:f, s:s, s:s, s:s}", "ratio", worst->ratio, "joint", worst->joint, "heavy", worst->heavy,
                          "light", worst->light);
        json_object_set_new(ratio, "direction", rg_json_vec3(worst->direction));
    }
    return RG_JSON_OBJECT({"file", rg_json_text(diagnosis->plan->path)},
                          {"name", rg_json_text(diagnosis->model ? rg_model_info(diagnosis->model).name : NULL)},
                          {"ok", json_boolean(diagnosis->errors == 0)}, {"errors", errors}, {"warnings", warnings},
                          {"notes", notes}, {"inertia_ratio", ratio});
}

/* ------------------------------------------------------------------ the command */

/* A refused model is a finding; an unreadable file has exit code 2. */
static int report_refusal(RgDiagnosis *diagnosis, const RgError *error)
{
    RgFinding finding = {.is_error = true,
                         .check = error->status == RG_ERR_MODEL ? "model" : "file",
                         .file = error->file[0] ? rg_pool_print(&diagnosis->plan->pool, "%s", error->file) : NULL,
                         .line = error->line,
                         .value = NAN};
    rg_diagnosis_add(diagnosis, finding, "%s", error->text);
    bool impossible =
        error->status == RG_ERR_MODEL || error->status == RG_ERR_NOT_FINITE || error->status == RG_ERR_SINGULAR;
    return impossible ? RG_EXIT_FAILED : RG_EXIT_USAGE;
}

/* Exit code; -1: wrong options, message printed. The caller destroys the model. */
static int diagnose(RgDiagnosis *diagnosis, const RgOptions *options, RgModel **model)
{
    RgError error = {0};
    if (rg_plan_open(diagnosis->plan, options->file, &error) != RG_OK)
        return report_refusal(diagnosis, &error);
    if (!rg_plan_apply_load_options(diagnosis->plan, options))
        return -1;
    diagnosis->model = *model = rg_plan_load(diagnosis->plan, &error);
    int refused = RG_EXIT_OK;
    if (!diagnosis->model) {
        refused = report_refusal(diagnosis, &error);
    } else {
        rg_doctor_inertia(diagnosis);
        rg_doctor_massless(diagnosis);
        rg_doctor_inertia_ratio(diagnosis);
        rg_doctor_limits(diagnosis);
        rg_doctor_stiff(diagnosis);
        rg_doctor_shapes(diagnosis);
        rg_doctor_meshes(diagnosis);
    }
    add_remarks(diagnosis);
    return refused != RG_EXIT_OK ? refused : diagnosis->errors > 0 ? RG_EXIT_FAILED : RG_EXIT_OK;
}

static int run_doctor(const RgOptions *options)
{
    RgPlan plan;
    RgDiagnosis diagnosis = {.plan = &plan};
    RgModel *model = NULL;
    int code = diagnose(&diagnosis, options, &model);
    const char *json = rg_options_value(options, "json");
    if (code >= 0) {
        if (!json || strcmp(json, "-") != 0)
            print_text(&diagnosis);
        if (json && !rg_json_write(json_diagnosis(&diagnosis), json) && code == RG_EXIT_OK)
            code = RG_EXIT_FAILED;
    }
    rg_model_destroy(model);
    rg_plan_free(&plan);
    return code >= 0 ? code : RG_EXIT_USAGE;
}

RG_COMMAND(doctor, "report what is impossible or doubtful in a model", .run = run_doctor,
           .notes =
               "Errors: inertia not positive, triangle inequality of the principal moments broken, collision meshes "
               "without "
               "volume or\ntriangles, whatever the library refuses.\n"
               "Warnings: ratio of moments of inertia across a joint over 1000, limits of 0, joints without room, "
               "joints that "
               "start outside\nof their limits, moving bodies without mass, dampers and springs too fast for rk4 at 1 "
               "ms, "
               "centre of mass outside the\nshapes, missing meshes, collision meshes with holes or faces turned over, "
               "remarks "
               "of the readers. Warnings alone leave\nthe exit code 0.\n"
               "Notes: repairs of meshes, convex hulls much larger than the mesh they stand for.\n");
