/*
 * 004-a: a box that begins 1 cm in the ground, corrected with and without position projection; a box that drops.
 *
 *   without projection the overlap d goes through the velocity: it leaves with d ERP / h = 10 m/s with it (split
 *   impulse, 004 section 5.1) positions move by the solve with the correction, velocities by the one without
 *
 * Twins: the speed without projection is known in closed form; a box that is lifted by d has gained m g d, which the
 * report accounts for.
 */
#include "bodies.h"

#include <math.h>
#include <string.h>

#define H 1e-3
#define G 9.81
#define SIDE 1.0
#define DEPTH 0.01 /* m, overlap at the start */
#define DROP 0.5   /* m, of the second case */
#define TIME 0.6   /* s */

typedef struct Outcome {
    double fastest;   /* m/s upwards */
    double end;       /* m: height of the bottom */
    double settled;   /* s after which the bottom is within 0.1 mm of the ground for good; NaN: never */
    double accounted; /* J that the step reports say the correction brought */
} Outcome;

static RgModel *box_over(Lab *lab, double gap)
{
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgSurfaceDef surface = bodies_surface(0.5, 0.0);
    bodies_add_floor(b, &surface);
    bodies_add(b, &(BodyDef){.name = "box",
                             .type = RG_SHAPE_box,
                             .size = {SIDE, SIDE, SIDE},
                             .mass = 1.0,
                             .p = {0.0, 0.0, SIDE / 2 + gap},
                             .surface = surface});
    return bodies_end(lab, b);
}

/* Height of the bottom over time goes to the open curve of the figure. */
static Outcome correct(Lab *lab, double gap, bool split, const char *coords, LabFigure *figure)
{
    Outcome out = {.settled = (double)NAN};
    RgModel *model = box_over(lab, gap);
    RgContactLaw law = rg_contact_law_default();
    law.contact_erp = 1.0;
    law.split_impulse = split;
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.coords = coords;
    def.solver = "pgs";
    def.law = &law;
    RgWorld *world = model ? lab_world_create(lab, &def) : NULL;
    bool filmed = split && gap < 0.0 && strcmp(coords, "maximal") == 0;
    LabFilm *film =
        world && filmed ? lab_film(lab, "correction", "box out of the ground, with projection", world, 0.0) : NULL;
    for (int i = 0; world && i < (int)(TIME / H); i++) {
        RgStepReport report;
        if (rg_world_step(world, H, &report) != RG_OK) {
            lab_fail(lab, "a step was refused: %s", rg_status_text(report.status));
            break;
        }
        lab_film_step(film, world);
        double t = rg_world_time(world), bottom = rg_world_link_pose(world, (RgLinkId){1}).p.z - SIDE / 2;
        out.fastest = fmax(out.fastest, rg_world_link_twist(world, (RgLinkId){1}).v.z);
        out.accounted += split ? report.work.split : report.work.erp;
        out.settled = fabs(bottom) > 1e-4 ? (double)NAN : isnan(out.settled) ? t : out.settled;
        out.end = bottom;
        lab_point(figure, t, bottom);
    }
    lab_film_end(film);
    rg_world_destroy(world);
    rg_model_destroy(model);
    return out;
}

static void run(Lab *lab)
{
    static const char *const forms[] = {"maximal", "minimal"}; /* the first is the paper's */
    LabFigure *start = lab_figure(lab, &(LabFigureDef){"fig1a", "Figure 1: a box that begins 1 cm in the ground",
                                                       "t (s)", .y = "height of its bottom (m)"});
    LabFigure *fall = lab_figure(lab, &(LabFigureDef){"fig1b", "Figure 1: a box dropped from 0.5 m, inelastic", "t (s)",
                                                      .y = "height of its bottom (m)"});
    Outcome with[2], without[2], drop[2][2];
    for (int form = 0; form < 2; form++) {
        lab_curve(start, LAB_LINES, "with projection, %s", forms[form]);
        with[form] = correct(lab, -DEPTH, true, forms[form], start);
        lab_curve(start, LAB_LINES, "without, %s", forms[form]);
        without[form] = correct(lab, -DEPTH, false, forms[form], start);
        for (int split = 0; split < 2; split++) {
            lab_curve(fall, LAB_LINES, "%s, %s", split ? "with projection" : "without", forms[form]);
            drop[form][split] = correct(lab, DROP, split, forms[form], fall);
        }
    }
    lab_measured(lab, "speed gained with projection", with[0].fastest);
    lab_measured(lab, "speed gained with projection, minimal", with[1].fastest);
    lab_measured(lab, "resting height with projection", with[0].end);
    lab_measured(lab, "resting height with projection, minimal", with[1].end);
    lab_measured(lab, "speed gained without projection", without[0].fastest);
    lab_measured(lab, "speed gained without projection, minimal", without[1].fastest);
    lab_measured(lab, "energy of the correction, accounted", with[0].accounted);
    double rebound = fmax(fmax(drop[0][0].fastest, drop[0][1].fastest), fmax(drop[1][0].fastest, drop[1][1].fastest));
    lab_measured(lab, "rebound of the dropped box, worst of four", rebound);
    lab_say(lab, "With projection the box is within 0.1 mm of its resting height after %.3g s (%s) and %.3g s (%s).",
            with[0].settled, forms[0], with[1].settled, forms[1]);
}

const Experiment experiment_box_correction = {
    "004-a-box-correction", "overlap removed by position projection gains no speed (paper 004, section 5.1, Figure 1)",
    1.0, 1.0, run};
