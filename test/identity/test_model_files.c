/*
 * test_model_files.c - the same identities on real robot and world files.
 *
 * Every URDF, SDF and world file beside the project is loaded, and at five random states RNEA(ABA) = tau,
 * CRBA = RNEA, factor = ABA,
 * and the accelerations of the two coordinate forms agree to 1e-9 relative (max-norm). Loops and couplings
 * are left open by the
 * tree algorithms; the worlds close them, so that there the start is the neutral state, which files give
 * closed, at rest.
 */
#include "check_near.h"
#include "identities.h"
#include "model_files.h"

#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-9
#define STATES 5

/* Folder and file. */
static const char *short_name(const char *path)
{
    const char *name = path;
    for (const char *slash = strchr(path, '/'); slash != NULL && strchr(slash + 1, '/') != NULL;
         slash = strchr(slash + 1, '/'))
        name = slash + 1;
    return name;
}

Test(model_files, algorithms_agree)
{
    static ModelFiles files;
    model_files_find(&files);
    for (int i = 0; i < files.count; i++) {
        RgModel *model = model_file_load(files.path[i]);
        if (model == NULL)
            continue;
        DynamicsErrors e = {0};
        for (uint64_t seed = 1; seed <= STATES; seed++)
            e = dynamics_errors_worst(e, dynamics_errors(model, seed));
        const char *name = short_name(files.path[i]);
        cr_log_info("%s: RNEA(ABA) %.2g, CRBA %.2g, factor %.2g", name, e.inverse, e.columns, e.factor);
        cr_expect(e.status == RG_OK, "%s: %s", name, rg_status_text(e.status));
        cr_expect(e.inverse <= TOLERANCE, "%s: RNEA(ABA) error %.3g", name, e.inverse);
        cr_expect(e.columns <= TOLERANCE, "%s: CRBA against RNEA error %.3g", name, e.columns);
        cr_expect(e.factor <= TOLERANCE, "%s: factor route against ABA error %.3g", name, e.factor);
        cr_expect(e.solve <= TOLERANCE, "%s: M^-1 M error %.3g", name, e.solve);
        rg_model_destroy(model);
    }
}

/* A loop or a coupling holds only at the neutral state, at rest. */
static void close_state(const RgModel *model, TestState *s)
{
    RgModelInfo info = rg_model_info(model);
    if (info.loops + info.couplings == 0)
        return;
    rg_model_neutral(model, s->q);
    memset(s->v, 0, sizeof *s->v * (size_t)s->nv);
}

Test(model_files, forms_agree)
{
    static ModelFiles files;
    model_files_find(&files);
    for (int i = 0; i < files.count; i++) {
        RgModel *model = model_file_load(files.path[i]);
        if (model == NULL)
            continue;
        double worst = 0.0;
        for (uint64_t seed = 1; seed <= STATES; seed++) {
            TestState s = random_state(model, seed);
            close_state(model, &s);
            worst = fmax(worst, forms_error(model, &s));
            test_state_destroy(&s);
        }
        cr_log_info("%s: minimal against maximal %.2g", short_name(files.path[i]), worst);
        cr_expect(worst <= TOLERANCE, "%s: minimal against maximal error %.3g", short_name(files.path[i]), worst);
        rg_model_destroy(model);
    }
}
