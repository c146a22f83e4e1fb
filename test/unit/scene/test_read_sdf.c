/* SDF: links, shapes, surfaces, worlds, the base rule. */
#include "scene_fixture.h"

#define MODEL(inside) "<sdf version='1.9'><model name='m'>" inside "</model></sdf>"

Test(read_sdf, inertial_and_its_defaults)
{
    Doc *doc = doc_good(
        doc_read("a.sdf", MODEL("<link name='plain'/><link name='given'><inertial>"
                                "<pose>1 2 3 0 0 1.5707963267948966</pose><mass>4</mass><inertia><ixx>1</ixx>"
                                "<iyy>2</iyy><izz>2.5</izz><ixy>0.1</ixy><ixz>0.2</ixz><iyz>0.3</iyz></inertia>"
                                "</inertial></link><link name='half'><inertial><mass>3</mass></inertial></link>")));
    RgInertia plain = doc_link(doc, "plain")->inertia, in = doc_link(doc, "given")->inertia,
              half = doc_link(doc, "half")->inertia;
    CHECK_NEAR(plain.mass, 1.0, 0.0, "kg");
    CHECK_NEAR(plain.I.yy, 1.0, 0.0, "kg m^2");
    check_vec3(in.com, 1.0, 2.0, 3.0, "m");
    double actual[6] = {in.I.xx, in.I.yy, in.I.zz, in.I.xy, in.I.xz, in.I.yz};
    double expected[6] = {2.0, 1.0, 2.5, -0.1, -0.3, 0.2};
    CHECK_NEAR_ALL(actual, expected, 6, 1e-12, "kg m^2");
    cr_expect(half.mass == 3.0 && half.I.zz == 1.0);
    cr_expect_eq(rg_model_info(doc->model).nv, 18, "three free links");
    doc_free(doc);
}

Test(read_sdf, automatic_inertia_is_that_of_the_shapes)
{
    Doc *doc = doc_good(
        doc_read("a.sdf", MODEL("<link name='l'><inertial auto='true'/><collision name='a'><density>100</density>"
                                "<pose>1 0 0 0 0 0</pose><geometry><box><size>1 1 1</size></box></geometry></collision>"
                                "<collision name='b'><pose>-1 0 0 0 0 0</pose><geometry><box><size>1 1 0.1</size></box>"
                                "</geometry></collision></link>")));
    /* Two boxes of 100 kg at x = 1 and -1. */
    RgInertia in = doc_link(doc, "l")->inertia;
    CHECK_NEAR(in.mass, 200.0, 1e-10, "kg");
    check_vec3(in.com, 0.0, 0.0, 0.0, "m");
    CHECK_REL(in.I.xx, 100.0 / 6.0 + 100.0 / 12.0 * 1.01, 1e-12, "kg m^2");
    CHECK_REL(in.I.zz, 200.0 / 6.0 + 200.0, 1e-12, "kg m^2");
    doc_free(doc);
}

Test(read_sdf, shapes)
{
    Doc *doc = doc_good(doc_read(
        "a.sdf", MODEL("<link name='l'><collision name='c'><pose>0 0 1 0 0 0</pose><geometry><box><size>1 2 "
                       "3</size></box></geometry>"
                       "</collision><collision "
                       "name='s'><geometry><sphere><radius>0.5</radius></sphere></geometry></collision>"
                       "<collision "
                       "name='y'><geometry><cylinder><radius>0.1</radius><length>0.2</length></cylinder></geometry>"
                       "</collision><visual "
                       "name='p'><geometry><capsule><radius>0.3</radius><length>0.4</length></capsule></geometry>"
                       "</visual><visual name='e'><geometry><ellipsoid><radii>1 2 "
                       "3</radii></ellipsoid></geometry></visual>"
                       "<collision name='f'><geometry><plane><normal>1 0 0</normal></plane></geometry></collision>"
                       "<collision name='h'><geometry><heightmap><uri>x.png</uri></heightmap></geometry></collision>"
                       "<collision name='n'/></link>")));
    static const RgShapeType types[] = {RG_SHAPE_box,     RG_SHAPE_sphere,    RG_SHAPE_cylinder,
                                        RG_SHAPE_capsule, RG_SHAPE_ellipsoid, RG_SHAPE_halfspace};
    cr_assert_eq(doc->builder->nshapes, 6, "%s", doc->log);
    for (int i = 0; i < 6; i++)
        cr_expect_eq(doc->builder->shapes[i].type, types[i], "shape %d", i);
    check_vec3(doc->builder->shapes[0].X_LS.p, 0.0, 0.0, 1.0, "m");
    CHECK_NEAR_ALL(doc->builder->shapes[3].size, ((double[]){0.3, 0.4}), 2, 0.0, "m");
    cr_expect(doc->builder->shapes[3].is_visual && !doc->builder->shapes[5].is_visual);
    RgMat3 R = doc->builder->shapes[5].X_LS.R;
    check_vec3((RgVec3){R.m[0][2], R.m[1][2], R.m[2][2]}, 1.0, 0.0, 0.0, "1");
    cr_expect_not_null(strstr(doc->log, "'h'>: <heightmap> geometry is not supported"), "%s", doc->log);
    cr_expect_not_null(strstr(doc->log, "'n'> without geometry"), "%s", doc->log);
    doc_free(doc);
}

Test(read_sdf, surface_values)
{
    Doc *doc = doc_good(
        doc_read("a.sdf", MODEL("<link name='l'><collision "
                                "name='c'><geometry><sphere><radius>1</radius></sphere></geometry><surface>"
                                "<bounce><restitution_coefficient>0.5</restitution_coefficient><threshold>0.01</"
                                "threshold></bounce>"
                                "<friction><ode><mu>0.8</mu><mu2>0.7</mu2><fdir1>0 1 "
                                "0</fdir1><slip1>0.1</slip1><slip2>0.2</slip2></ode>"
                                "<torsional><coefficient>0.3</coefficient><patch_radius>0.02</patch_radius></"
                                "torsional><bullet><friction>9</friction>"
                                "<rolling_friction>0.05</rolling_friction></bullet></friction>"
                                "<contact><ode><kp>1e6</kp><kd>100</kd><max_vel>0.1</max_vel><min_depth>0.001</"
                                "min_depth></ode></contact>"
                                "</surface></collision></link>")));
    RgSurfaceDef s = doc->builder->shapes[0].surface;
    double actual[12] = {s.restitution, s.restitution_threshold,
                         s.mu,          s.mu2,
                         s.slip1,       s.slip2,
                         s.torsional,   s.rolling,
                         s.kp,          s.kd,
                         s.max_vel,     s.min_depth};
    double expected[12] = {0.5, 0.01, 0.8, 0.7, 0.1, 0.2, 0.0, 0.05, 1e6, 100, 0.1, 0.001};
    expected[6] = actual[6];
    CHECK_REL(s.torsional, 3.0 * 3.14159265358979323846 / 16.0 * 0.3 * 0.02, 1e-15, "m");
    CHECK_NEAR_ALL(actual, expected, 12, 0.0, "SI");
    check_vec3(s.fdir1, 0.0, 1.0, 0.0, "1");
    doc_free(doc);
}

/* A patch whose radius is the root of surface radius times overlap; a bounce without threshold never happens. */
Test(read_sdf, torsion_by_surface_radius_and_bounce_without_threshold)
{
    Doc *doc = doc_good(doc_read(
        "a.sdf", MODEL("<link name='l'><collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry>"
                       "<surface><bounce><restitution_coefficient>0.5</restitution_coefficient></bounce>"
                       "<friction><torsional><coefficient>0.3</coefficient><use_patch_radius>false</use_patch_radius>"
                       "<patch_radius>0.02</patch_radius><surface_radius>0.25</surface_radius>"
                       "<ode><slip>0.7</slip></ode></torsional></friction>"
                       "</surface></collision></link>")));
    RgSurfaceDef s = doc->builder->shapes[0].surface;
    CHECK_NEAR(s.torsional, 0.0, 0.0, "m");
    CHECK_REL(s.torsional_depth, 3.0 * 3.14159265358979323846 / 16.0 * 0.3 * 0.5, 1e-15, "root of m");
    CHECK_NEAR(s.restitution_threshold, 1e5, 0.0, "m/s");
    CHECK_NEAR(s.torsional_slip, 0.7, 0.0, "rad/s per N m");
    doc_free(doc);
}

Test(read_sdf, a_world_of_models)
{
    Doc *doc = doc_good(doc_read(
        "a.world", "<sdf version='1.6'><world name='w'><light name='sun' type='point'/><light name='moon' "
                   "type='point'/><gui/>\n"
                   "<gravity>0 0 -1.6</gravity><model name='a'><pose>1 0 0 0 0 0</pose><link name='l'/></model>"
                   "<model name='b'><static>true</static><link name='l'/></model><plugin/></world></sdf>"));
    RgModelInfo info = rg_model_info(doc->model);
    cr_expect(info.links == 2 && info.nv == 6);
    CHECK_NEAR(info.mass, 1.0, 0.0, "kg");
    cr_expect_str_eq(info.name, "w");
    cr_expect_str_eq(doc->builder->links[1].group, "b");
    cr_expect(doc->builder->links[1].is_static);
    check_vec3(doc->builder->links[0].X_WL.p, 1.0, 0.0, 0.0, "m");
    const RgPhysicsHints *hints = rg_model_hints(doc->model);
    cr_expect(hints->has_gravity);
    CHECK_NEAR(hints->gravity.z, -1.6, 0.0, "m/s^2");
    cr_expect_eq(count_text(doc->log, "<light> is skipped"), 1, "%s", doc->log);
    cr_expect_eq(count_text(doc->log, "<gui> is skipped"), 1, "%s", doc->log);
    doc_free(doc);
}

Test(read_sdf, physics_values_are_kept)
{
    Doc *doc = doc_good(doc_read(
        "a.world", "<sdf version='1.6'><world name='w'><physics type='ode'><max_step_size>9</max_step_size></physics>"
                   "<physics type='ode' default='true'><gravity>1 2 "
                   "3</gravity><max_step_size>0.002</max_step_size><ode><solver>"
                   "<type>quick</type><iters>50</iters><precon_iters>3</precon_iters><sor>1.3</sor>"
                   "<friction_model>cone_model</friction_model><use_dynamic_moi_rescaling>1</"
                   "use_dynamic_moi_rescaling></solver>"
                   "<constraints><cfm>1e-5</cfm><erp>0.2</erp><contact_max_correcting_vel>100</"
                   "contact_max_correcting_vel>"
                   "<contact_surface_layer>0.001</contact_surface_layer></constraints></ode></physics></world></sdf>"));
    const RgPhysicsHints *h = rg_model_hints(doc->model);
    double actual[7] = {h->max_step,          h->ode_sor,  h->ode_cfm, h->ode_erp, h->ode_max_correcting_vel,
                        h->ode_surface_layer, h->gravity.y};
    CHECK_NEAR_ALL(actual, ((double[]){0.002, 1.3, 1e-5, 0.2, 100, 0.001, 2}), 7, 0.0, "SI");
    cr_expect(h->ode_iterations == 50 && h->ode_preconditioning_iterations == 3 && h->use_dynamic_inertia_scaling);
    cr_expect_str_eq(h->ode_solver, "quick");
    cr_expect_str_eq(h->friction_model, "cone_model");
    doc_free(doc);

    /* Old files: dt in the solver, else the update rate. */
    doc = doc_good(doc_read("a.world",
                            "<sdf version='1.3'><world name='w'><physics type='ode'><update_rate>500</update_rate><ode>"
                            "<solver><dt>0.004</dt></solver></ode></physics></world></sdf>"));
    CHECK_NEAR(rg_model_hints(doc->model)->max_step, 0.004, 0.0, "s");
    doc_free(doc);
    doc = doc_good(doc_read("a.world",
                            "<sdf version='1.3'><world name='w'><physics type='ode'><update_rate>500</update_rate>"
                            "</physics></world></sdf>"));
    CHECK_NEAR(rg_model_hints(doc->model)->max_step, 0.002, 0.0, "s");
    doc_free(doc);
}

Test(read_sdf, base_options)
{
    static const char text[] =
        "<sdf version='1.9'><model name='m'><link name='tip'/><link name='mid'/><link name='low'/>"
        "<link name='loose'/><joint name='j' type='revolute'><parent>mid</parent><child>tip</child></joint>"
        "<joint name='k' type='revolute'><parent>low</parent><child>mid</child></joint></model></sdf>";
    static const int nv[] = {2 + 6 + 6, 2, 2 + 6 + 6};
    for (int base = RG_BASE_AUTO; base <= RG_BASE_FLOATING; base++) {
        RgReadOptions options = rg_read_options_default();
        options.base = (RgBase)base;
        options.group = "mine";
        options.X_WM.p.x = 2.0;
        Doc *doc = doc_good(doc_read_with("a.sdf", text, &options));
        cr_expect_eq(rg_model_info(doc->model).nv, nv[base], "base %d", base);
        cr_expect_eq(doc_link(doc, "low")->is_static, base == RG_BASE_FIXED);
        cr_expect_not(doc_link(doc, "tip")->is_static);
        cr_expect_str_eq(doc_link(doc, "tip")->group, "mine");
        CHECK_NEAR(doc_link(doc, "tip")->X_WL.p.x, 2.0, 0.0, "m");
        doc_free(doc);
    }
}

Test(read_sdf, unknown_tags_and_versions_are_remarks)
{
    Doc *doc = doc_good(doc_read("a.sdf", "<sdf version='1.99'>\n<model name='m'><flavour/><link name='l'><flavour/>"
                                          "<gravity>false</gravity></link></model></sdf>"));
    cr_expect_eq(count_text(doc->log, "<flavour>"), 1, "%s", doc->log);
    cr_expect_not_null(strstr(doc->log, "1: SDF version 1.99 is read like 1.11"), "%s", doc->log);
    cr_expect_not_null(strstr(doc->log, "<gravity> false of a link is not used"), "%s", doc->log);
    doc_free(doc);
}
