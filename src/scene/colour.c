/*
 * colour.c - colours of visual shapes.
 *
 *   URDF   <material name="n"><color rgba="r g b a"/></material>; without <color> the one of that name elsewhere
 *   SDF    <material>: <diffuse>, else <ambient>, "r g b [a]"; else <script><name>Gazebo/X</name>;
 *          opacity times (1 - <transparency>)
 *
 * A malformed colour is ignored, without an error. Numbers are clamped to 0 ... 1.
 */
#include "scene/colour.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

typedef struct NamedColour {
    const char *name;
    double rgb[3];
} NamedColour;

/* Common materials of Gazebo's own material scripts. */
static const NamedColour gazebo_colours[] = {
    {"Gazebo/Black", {0.05, 0.05, 0.05}},  {"Gazebo/Blue", {0.0, 0.0, 1.0}},    {"Gazebo/DarkGrey", {0.18, 0.18, 0.18}},
    {"Gazebo/FlatBlack", {0.1, 0.1, 0.1}}, {"Gazebo/Gold", {0.8, 0.65, 0.14}},  {"Gazebo/Green", {0.0, 1.0, 0.0}},
    {"Gazebo/Grey", {0.7, 0.7, 0.7}},      {"Gazebo/Indigo", {0.33, 0.0, 0.5}}, {"Gazebo/Orange", {1.0, 0.51, 0.04}},
    {"Gazebo/Purple", {1.0, 0.0, 1.0}},    {"Gazebo/Red", {1.0, 0.0, 0.0}},     {"Gazebo/SkyBlue", {0.13, 0.44, 0.7}},
    {"Gazebo/Turquoise", {0.0, 1.0, 1.0}}, {"Gazebo/White", {1.0, 1.0, 1.0}},   {"Gazebo/Wood", {0.6, 0.42, 0.25}},
    {"Gazebo/Yellow", {1.0, 1.0, 0.0}},
};

/* Parses "r g b" or "r g b a". False: not a colour. */
static bool read_colour(const char *text, double colour[4])
{
    double values[4] = {0.0, 0.0, 0.0, 1.0};
    int found = 0;
    RgWord bad;
    if (text == NULL || rg_text_numbers(text, 4, values, &found, &bad) == RG_NUMBER_GARBAGE || found < 3)
        return false;
    for (int i = 0; i < 4; i++)
        colour[i] = fmax(0.0, fmin(values[i], 1.0));
    return true;
}

static bool material_colour(const RgXml *material, double colour[4])
{
    const RgXml *color = rg_xml_child(material, "color");
    return color != NULL && read_colour(rg_xml_attribute(color, "rgba"), colour);
}

/* Adds a material that has a name and a colour; the first one of a name is used. False: out of memory. */
static bool add_material(RgReader *reader, RgColours *colours, const RgXml *material)
{
    const char *name = rg_xml_attribute(material, "name");
    double colour[4];
    if (name == NULL || !material_colour(material, colour) || rg_name_map_find(&colours->names, name) >= 0)
        return true;
    memcpy(colours->values[colours->count], colour, sizeof colour);
    return rg_name_map_set(&colours->names, &reader->arena, name, colours->count++);
}

/* Adds the materials of the visuals of all links (colours NULL: none). Returns the number of visuals. */
static int collect_visual_materials(RgReader *reader, const RgXml *robot, RgColours *colours, bool *room)
{
    int count = 0;
    for (const RgXml *link = rg_xml_child(robot, "link"); link != NULL; link = rg_xml_next_same(link)) {
        for (const RgXml *visual = rg_xml_child(link, "visual"); visual != NULL; visual = rg_xml_next_same(visual)) {
            const RgXml *material = rg_xml_child(visual, "material");
            count++;
            if (colours != NULL && material != NULL)
                *room = *room && add_material(reader, colours, material);
        }
    }
    return count;
}

bool rg_urdf_colours_collect(RgReader *reader, const RgXml *robot, RgColours *out)
{
    bool room = true;
    int most = collect_visual_materials(reader, robot, NULL, &room);
    for (const RgXml *material = rg_xml_child(robot, "material"); material != NULL;
         material = rg_xml_next_same(material))
        most++;
    *out = (RgColours){.values = rg_arena_alloc(&reader->arena, (size_t)most, sizeof *out->values)};
    if (out->values == NULL)
        return false;
    for (const RgXml *material = rg_xml_child(robot, "material"); material != NULL;
         material = rg_xml_next_same(material))
        room = room && add_material(reader, out, material);
    collect_visual_materials(reader, robot, out, &room);
    return room;
}

void rg_urdf_colour(const RgColours *colours, const RgXml *visual, double colour[4])
{
    const RgXml *material = rg_xml_child(visual, "material");
    const char *name = material != NULL ? rg_xml_attribute(material, "name") : NULL;
    if (material == NULL || material_colour(material, colour) || name == NULL)
        return;
    int index = rg_name_map_find(&colours->names, name);
    if (index >= 0)
        memcpy(colour, colours->values[index], 4 * sizeof *colour);
}

/* The colour of a material script of Gazebo. */
static void script_colour(const RgXml *material, double colour[4])
{
    const RgXml *name = rg_xml_child(rg_xml_child(material, "script"), "name");
    for (size_t i = 0; name != NULL && i < sizeof gazebo_colours / sizeof gazebo_colours[0]; i++) {
        if (strcmp(name->text, gazebo_colours[i].name) != 0)
            continue;
        memcpy(colour, gazebo_colours[i].rgb, sizeof gazebo_colours[i].rgb);
        colour[3] = 1.0;
    }
}

void rg_sdf_colour(const RgXml *visual, double colour[4])
{
    const RgXml *material = rg_xml_child(visual, "material");
    const RgXml *diffuse = rg_xml_child(material, "diffuse"), *ambient = rg_xml_child(material, "ambient");
    const RgXml *transparency = rg_xml_child(visual, "transparency");
    if (!(diffuse != NULL && read_colour(diffuse->text, colour)) &&
        !(ambient != NULL && read_colour(ambient->text, colour)))
        script_colour(material, colour);
    double value;
    int found = 0;
    RgWord bad;
    if (transparency != NULL && rg_text_numbers(transparency->text, 1, &value, &found, &bad) == RG_NUMBER_OK &&
        found == 1)
        colour[3] *= 1.0 - fmax(0.0, fmin(value, 1.0));
}
