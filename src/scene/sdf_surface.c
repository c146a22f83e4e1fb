/*
 * sdf_surface.c - <surface> of an SDF <collision>: contact parameters, stored as the file gives them.
 *
 * friction/ode (mu mu2 fdir1 slip1 slip2), friction/torsional (coefficient, use_patch_radius, patch_radius,
 * surface_radius, ode/slip), bounce (restitution_coefficient, threshold), contact/ode (kp kd max_vel min_depth). The
 * bullet block gives friction, friction2 and rolling_friction where ode gives none. contact/collide_bitmask sets both
 * category and mask of the shape, contact/category_bitmask its category; without them it touches everything.
 */
#include "math/vec3.h"
#include "scene/sdf.h"

/* 3 pi / 16: friction moment of a round patch with Hertzian pressure, divided by mu, radius and normal force. */
#define ROUND_PATCH 0.58904862254808623

/* m/s: the format's default threshold, above any impact speed. */
#define DEFAULT_THRESHOLD 1e5

/* Friction moment divided by normal force: of a patch of the given radius, or of one with radius
   sqrt(surface radius x depth). */
static void read_torsion(RgReader *reader, const RgXml *xml, RgSurfaceDef *surface)
{
    double coefficient = 1.0, patch_radius = 0.0, surface_radius = 0.0;
    if (xml == NULL)
        return;
    bool by_patch = rg_reader_child_flag(reader, xml, "use_patch_radius", true);
    rg_reader_child(reader, xml, "coefficient", 1, &coefficient);
    rg_reader_child(reader, xml, "patch_radius", 1, &patch_radius);
    rg_reader_child(reader, xml, "surface_radius", 1, &surface_radius);
    rg_reader_child(reader, rg_xml_child(xml, "ode"), "slip", 1, &surface->torsional_slip);
    surface->torsional = by_patch ? ROUND_PATCH * coefficient * patch_radius : 0.0;
    bool by_depth = !by_patch && surface_radius > 0.0;
    surface->torsional_depth = by_depth ? ROUND_PATCH * coefficient * sqrt(surface_radius) : 0.0;
}

/* Remarks on the elements of <surface> that are not used or unknown. */
static void expect_surface(RgReader *reader, const RgXml *surface)
{
    static const struct {
        const char *path[2]; /* below the surface; NULL: ends */
        const char *const known[8], *const skipped[8];
    } tables[] = {
        {{NULL}, {"friction", "bounce", "contact", "restitution_coefficient"}, {"soft_contact"}},
        {{"friction"}, {"ode", "bullet", "torsional"}, {NULL}},
        {{"friction", "ode"}, {"mu", "mu2", "fdir1", "slip1", "slip2"}, {NULL}},
        {{"friction", "bullet"}, {"friction", "friction2", "rolling_friction"}, {"fdir1"}},
        {{"friction", "torsional"}, {"coefficient", "use_patch_radius", "patch_radius", "surface_radius"}, {"ode"}},
        {{"bounce"}, {"restitution_coefficient", "threshold"}, {NULL}},
        {{"contact"},
         {"ode", "collide_bitmask", "category_bitmask"},
         {"bullet", "collide_without_contact", "collide_without_contact_bitmask", "poissons_ratio", "elastic_modulus"}},
        {{"contact", "ode"}, {"kp", "kd", "max_vel", "min_depth"}, {"soft_cfm", "soft_erp"}},
    };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        const RgXml *element = surface;
        for (int k = 0; k < 2 && tables[i].path[k] != NULL; k++)
            element = rg_xml_child(element, tables[i].path[k]);
        if (element != NULL)
            rg_reader_expect(reader, element, tables[i].known, tables[i].skipped);
    }
}

void rg_sdf_surface_read(RgReader *reader, const RgXml *collision, RgShapeDef *def)
{
    const RgXml *xml = rg_xml_child(collision, "surface");
    RgSurfaceDef *surface = &def->surface;
    if (xml == NULL)
        return;
    expect_surface(reader, xml);
    const RgXml *friction = rg_xml_child(xml, "friction"), *bounce = rg_xml_child(xml, "bounce");
    const RgXml *ode = rg_xml_child(friction, "ode"), *bullet = rg_xml_child(friction, "bullet");
    const RgXml *contact = rg_xml_child(rg_xml_child(xml, "contact"), "ode");

    /* Friction: values of ode replace those of bullet. */
    double fdir1[3] = {surface->fdir1.x, surface->fdir1.y, surface->fdir1.z};
    rg_reader_child(reader, bullet, "friction", 1, &surface->mu);
    rg_reader_child(reader, bullet, "friction2", 1, &surface->mu2);
    rg_reader_child(reader, bullet, "rolling_friction", 1, &surface->rolling);
    rg_reader_child(reader, ode, "mu", 1, &surface->mu);
    rg_reader_child(reader, ode, "mu2", 1, &surface->mu2);
    rg_reader_child(reader, ode, "fdir1", 3, fdir1);
    rg_reader_child(reader, ode, "slip1", 1, &surface->slip1);
    rg_reader_child(reader, ode, "slip2", 1, &surface->slip2);
    read_torsion(reader, rg_xml_child(friction, "torsional"), surface);
    surface->fdir1 = v3(fdir1[0], fdir1[1], fdir1[2]);

    /* Restitution; some files have the coefficient directly in <surface>. */
    rg_reader_child(reader, xml, "restitution_coefficient", 1, &surface->restitution);
    rg_reader_child(reader, bounce, "restitution_coefficient", 1, &surface->restitution);
    rg_reader_child(reader, bounce, "threshold", 1, &surface->restitution_threshold);
    if (!isnan(surface->restitution) && isnan(surface->restitution_threshold))
        surface->restitution_threshold = DEFAULT_THRESHOLD;

    rg_reader_child(reader, contact, "kp", 1, &surface->kp);
    rg_reader_child(reader, contact, "kd", 1, &surface->kd);
    rg_reader_child(reader, contact, "max_vel", 1, &surface->max_vel);
    rg_reader_child(reader, contact, "min_depth", 1, &surface->min_depth);

    if (rg_reader_child_bits(reader, rg_xml_child(xml, "contact"), "collide_bitmask", &def->mask))
        def->category = def->mask;
    rg_reader_child_bits(reader, rg_xml_child(xml, "contact"), "category_bitmask", &def->category);
}
