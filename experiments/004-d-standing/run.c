/* scratch */
#include "atlas_robot.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
static void run(Lab *lab)
{
    const char *coords = getenv("CO") ? getenv("CO") : "maximal", *solver = getenv("SO") ? getenv("SO") : "pgs";
    double T = getenv("T") ? atof(getenv("T")) : 5;
    RgPgsOptions pgs = rg_pgs_options_default();
    if (getenv("PR")) rg_pgs_preset(getenv("PR"), &pgs);
    if (getenv("IT")) pgs.iterations = atoi(getenv("IT"));
    if (getenv("PLAIN")) { pgs.ordered = false; pgs.smoothing = 0; pgs.friction_sweeps = 0; }
    WalkDef walk = {.settle = 1.0, .both = 0.4, .single = 0.7, .steps = getenv("ST") ? atoi(getenv("ST")) : 0, .lift = 0.05, .stride = getenv("STRIDE")?atof(getenv("STRIDE")):0, .duration = T};
    AtlasDef def = {.file = getenv("HANDS") ? "atlas_hands.urdf" : "atlas.urdf", .coords = coords, .solver = solver, .pgs = &pgs, .walk = &walk};
    Atlas *a = atlas_create(lab, &def);
    if (!a) return;
    LabFilm *film = lab_film(lab, "film", "x", atlas_world(a), 0);
    RgVec3 p0 = {0};
    double err = 0;
    int N = (int)(T / ATLAS_H);
    for (int i = 0; i < N; i++) {
        RgStepReport r;
        bool ok = atlas_step(a, &r);
        lab_film_step(film, atlas_world(a));
        RgVec3 p = atlas_foot_com(a, 0);
        if (i == 500) p0 = p;
        err = fmax(err, r.joint_error);
        if (i % (N / 8) == 0 || !ok) {
            RgMomentum m; rg_world_momentum(atlas_world(a), &m);
            WalkSample w = atlas_wanted(a);
            fprintf(stderr, "%.2f com %.4f %.4f %.4f (want %.3f %.3f) ke %.2e foot d %.3f %.3f %.3f mm jerr %.2e max %.2e cont %d res %.1e\n", rg_world_time(atlas_world(a)), m.com.x, m.com.y, m.com.z, w.com.x, w.com.y, m.kinetic, 1e3*(p.x - p0.x), 1e3*(p.y - p0.y), 1e3*(p.z-p0.z), r.joint_error, err, r.contacts, r.residual_velocity);
        }
        if (!ok) { fprintf(stderr, "FELL %s\n", rg_status_text(r.status)); break; }
    }
    fprintf(stderr, "RTF %.2f\n", rg_world_time(atlas_world(a)) / atlas_step_seconds(a));
    lab_film_end(film);
    atlas_destroy(a);
}
const Experiment experiment_standing = {.name = "004-d-standing", .title = "x", .seconds = 1, .quick_seconds = 1, .run = run};
