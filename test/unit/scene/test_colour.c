/* test_colour.c - colours of visual shapes in URDF and SDF, however they are given. */
#include <rigor/rigor.h>

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static RgModel *read_text(const char *name, const char *text)
{
    RgError error = {0};
    RgReadOptions options = rg_read_options_default();
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    cr_assert_eq(rg_read_memory(builder, name, text, strlen(text), &options, &error), RG_OK, "%s", error.text);
    RgModel *model = rg_builder_finish(builder, &error);
    cr_assert_not_null(model, "%s", error.text);
    rg_builder_destroy(builder);
    return model;
}

/* Shape i (from 0) has this colour; r NaN: none. */
static void expect_colour(const RgModel *model, int i, double r, double g, double b, double a)
{
    RgShapeInfo shape = rg_model_shape(model, (RgShapeId){i + 1});
    const double expected[4] = {r, g, b, a};
    if (isnan(r)) {
        cr_expect(isnan(shape.colour[0]), "shape %d", i);
        return;
    }
    for (int k = 0; k < 4; k++)
        cr_expect_float_eq(shape.colour[k], expected[k], 1e-12, "shape %d: %g", i, shape.colour[k]);
}

#define BALL "<geometry><sphere radius='1'/></geometry>"

Test(colour, urdf)
{
    RgModel *model =
        read_text("c.urdf", "<robot name='r'><material name='red'><color rgba='1 0 0 1'/></material><link name='l'>"
                            "<visual>" BALL "<material name='red'/></visual>"
                            "<visual>" BALL "<material name='own'><color rgba='0.1 0.2 0.3 0.4'/></material></visual>"
                            "<visual>" BALL "<material name='own'/></visual>"
                            "<visual>" BALL "<material name='later'/></visual>"
                            "<visual>" BALL "</visual>"
                            "<visual>" BALL "<material name='x'><color rgba='red'/></material></visual>"
                            "<visual>" BALL "<material name='nowhere'/></visual>"
                            "<visual>" BALL "<material><color rgba='2 -1 0.5 1'/></material></visual>"
                            "<visual>" BALL "<material name='later'><color rgba='0 0 1 1'/></material></visual>"
                            "<collision>" BALL "</collision></link></robot>");
    expect_colour(model, 0, 1, 0, 0, 1);
    expect_colour(model, 1, 0.1, 0.2, 0.3, 0.4);
    expect_colour(model, 2, 0.1, 0.2, 0.3, 0.4);
    expect_colour(model, 3, 0, 0, 1, 1);
    for (int i = 4; i <= 6; i++)
        expect_colour(model, i, NAN, 0, 0, 0);
    expect_colour(model, 7, 1, 0, 0.5, 1);
    expect_colour(model, 9, NAN, 0, 0, 0);
    rg_model_destroy(model);
}

#define SDF_BALL "<geometry><sphere><radius>1</radius></sphere></geometry>"

Test(colour, sdf)
{
    RgModel *model = read_text(
        "c.sdf", "<sdf version='1.9'><model name='m'><link name='l'>"
                 "<visual name='a'>" SDF_BALL "<material><ambient>0 0 0 1</ambient><diffuse>0.2 0.4 0.6 1</diffuse>"
                 "</material></visual>"
                 "<visual name='b'>" SDF_BALL "<material><ambient>1 0.5 0</ambient></material></visual>"
                 "<visual name='c'>" SDF_BALL "<material><script><name>Gazebo/Red</name></script></material>"
                 "<transparency>0.25</transparency></visual>"
                 "<visual name='d'>" SDF_BALL "<material><script><name>My/Own</name></script></material></visual>"
                 "<visual name='e'>" SDF_BALL "</visual>"
                 "<visual name='f'>" SDF_BALL "<material><diffuse>1 2</diffuse></material></visual>"
                 "</link></model></sdf>");
    expect_colour(model, 0, 0.2, 0.4, 0.6, 1);
    expect_colour(model, 1, 1, 0.5, 0, 1);
    expect_colour(model, 2, 1, 0, 0, 0.75);
    for (int i = 3; i <= 5; i++)
        expect_colour(model, i, NAN, 0, 0, 0);
    rg_model_destroy(model);
}
