/*
 * 003-ball-drop: a ball of 1 m and 1 kg falls 4 m on a plane and bounces (paper 003, section 5.1, Figure 1).
 *
 *   closed form: first contact after sqrt(2 d / g), the k-th rebound lasts 2 e^k sqrt(2 d / g) and rises to e^2k d
 */
#include "bodies.h"
#include "ode_methods.h"

#include <math.h>

#define H 1e-3
#define G 9.8
#define RADIUS 1.0
#define FALL 4.0 /* m: the centre begins at 5 m */
#define BOUNCE 0.5
#define ITERATIONS 100
#define STEPS 5000

typedef struct Drop {
    double z[STEPS + 1]; /* m, height of the centre */
    double impact;       /* s: of the first step after which it rises */
    double rebound[2];   /* m, first and second, above rest */
    double touch;        /* m: lowest place of its bottom */
} Drop;

static RgModel *ball(Lab *lab)
{
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgSurfaceDef surface = bodies_surface(0.5, BOUNCE);
    surface.restitution_threshold = 0.01;
    bodies_add_floor(b, &surface);
    bodies_add(b, &(BodyDef){.name = "ball",
                             .type = RG_SHAPE_sphere,
                             .size = {RADIUS},
                             .mass = 1.0,
                             .p = {0.0, 0.0, RADIUS + FALL},
                             .surface = surface});
    return bodies_end(lab, b);
}

/* First contact and rebounds from the heights. */
static void read_drop(Drop *drop)
{
    int rising = 0;
    for (int i = 1; i <= STEPS; i++) {
        bool turns = drop->z[i] > drop->z[i - 1] && (i == 1 || drop->z[i - 1] <= drop->z[i - 2]);
        rising += turns;
        if (turns && rising == 1)
            drop->impact = (i - 1) * H;
        if (rising == 1 || rising == 2)
            drop->rebound[rising - 1] = fmax(drop->rebound[rising - 1], drop->z[i] - RADIUS);
        drop->touch = fmin(drop->touch, drop->z[i] - RADIUS);
    }
}

static void let_fall(Lab *lab, const RgWorldDef *def, int method, LabFigure *figure, Drop *drop)
{
    RgWorld *world = ode_world(lab, *def, &(OdeMethod){.method = method, .iterations = ITERATIONS, .h = H});
    LabFilm *film = world && method == ODE_PGS && figure
                        ? lab_film(lab, "drop", "ball of 1 m, falls 4 m, bounce 0.5", world, 0.0)
                        : NULL;
    *drop = (Drop){.impact = (double)NAN};
    drop->z[0] = RADIUS + FALL;
    for (int i = 1; world && i <= STEPS && ode_step(lab, world, H, NULL); i++) {
        drop->z[i] = rg_world_link_pose(world, (RgLinkId){1}).p.z;
        lab_film_step(film, world);
        if (figure)
            lab_point(figure, i * H, drop->z[i]);
    }
    lab_film_end(film);
    rg_world_destroy(world);
    read_drop(drop);
}

static double largest_difference(const Drop *a, const Drop *b)
{
    double most = 0.0;
    for (int i = 0; i <= STEPS; i++)
        most = fmax(most, fabs(a->z[i] - b->z[i]));
    return most;
}

/* The closed form at time t. */
static double exact_height(double t)
{
    double flight = sqrt(2.0 * FALL / G), speed = G * flight;
    if (t < flight)
        return RADIUS + FALL - 0.5 * G * t * t;
    t -= flight;
    speed *= BOUNCE;
    while (t >= 2.0 * speed / G && speed > 0.01) {
        t -= 2.0 * speed / G;
        speed *= BOUNCE;
    }
    return speed > 0.01 ? RADIUS + t * (speed - 0.5 * G * t) : RADIUS;
}

static void compare(Lab *lab, LabFigure *figure, const RgWorldDef *def, Drop drops[ODE_METHODS + 1])
{
    static const char *const apart[ODE_METHODS] = {[ODE_DANTZIG] = "world (dantzig) apart from quick (pgs)",
                                                   [ODE_ROBUST] = "robust (max-dissipation) apart from quick",
                                                   [ODE_QUICK] = "our quick apart from quick (pgs)",
                                                   [ODE_CONE] = "our cone apart from quick (pgs)"};
    for (int m = 0; m < ODE_METHODS; m++) {
        lab_curve(figure, LAB_LINES, "%s", ode_label(m));
        let_fall(lab, def, m, figure, &drops[m]);
        if (m > 0)
            lab_measured(lab, apart[m], largest_difference(&drops[m], &drops[0]));
    }
    RgWorldDef minimal = *def;
    minimal.coords = "minimal";
    let_fall(lab, &minimal, ODE_PGS, NULL, &drops[ODE_METHODS]);
    lab_measured(lab, "minimal apart from maximal form", largest_difference(&drops[ODE_METHODS], &drops[0]));
}

static void run(Lab *lab)
{
    static Drop drops[ODE_METHODS + 2];
    LabFigure *figure = lab_figure(lab, &(LabFigureDef){"fig1", "Figure 1: height of the ball, 100 iterations", "t (s)",
                                                        .y = "height of its centre (m)"});
    RgModel *model = ball(lab);
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.coords = "maximal";
    compare(lab, figure, &def, drops);
    lab_measured(lab, "first contact", drops[ODE_PGS].impact);
    lab_measured(lab, "first rebound", drops[ODE_PGS].rebound[0]);
    lab_measured(lab, "second rebound", drops[ODE_PGS].rebound[1]);
    lab_measured(lab, "first contact, robust", drops[ODE_ROBUST].impact);
    lab_measured(lab, "first rebound, robust", drops[ODE_ROBUST].rebound[0]);
    double worst = 0.0;
    for (int m = 0; m < ODE_METHODS; m++)
        worst = fmax(worst, -drops[m].touch);
    lab_measured(lab, "deepest overlap, worst of five", worst);

    /* Events located: the closed form itself. */
    def.stepper = "auto";
    lab_curve(figure, LAB_LINES, "our quick, auto");
    let_fall(lab, &def, ODE_QUICK, figure, &drops[ODE_METHODS + 1]);
    double error = 0.0;
    lab_curve(figure, LAB_DASHED, "closed form");
    for (int i = 0; i <= STEPS; i++) {
        error = fmax(error, fabs(drops[ODE_METHODS + 1].z[i] - exact_height(i * H)));
        if (i % 50 == 0)
            lab_point(figure, i * H, exact_height(i * H));
    }
    lab_measured(lab, "stepper auto apart from the closed form", error);
    rg_model_destroy(model);
}

const Experiment experiment_ball_drop = {
    "003-ball-drop", "a ball bounces alike by all methods (paper 003, section 5.1, Figure 1)", 1.0, 1.0, run};
