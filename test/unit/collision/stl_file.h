/*
 * stl_file.h - collision meshes of a robot that may lie beside the project, and winding numbers of soups.
 */
#ifndef TEST_COLLISION_STL_FILE_H
#define TEST_COLLISION_STL_FILE_H

#include "surface_fixture.h"

#include <stdio.h>

/* Winding number by solid angles (van Oosterom, Strackee 1983). */
static inline double soup_winding(const Soup *s, RgVec3 x)
{
    double sum = 0.0;
    for (int32_t f = 0; f < s->nfaces; f++) {
        RgVec3 v[3];
        for (int k = 0; k < 3; k++) {
            const double *p = s->xyz + 3 * s->faces[3 * f + k];
            v[k] = vec_sub(vec(p[0], p[1], p[2]), x);
        }
        double a = vec_norm(v[0]), b = vec_norm(v[1]), c = vec_norm(v[2]);
        sum += 2.0 * atan2(vec_dot(v[0], vec_cross(v[1], v[2])),
                           a * b * c + vec_dot(v[0], v[1]) * c + vec_dot(v[1], v[2]) * a + vec_dot(v[2], v[0]) * b);
    }
    return sum / (4.0 * PI);
}

#ifdef RIGOR_SHARED_MODELS
/* A link of the UR10 by name; NULL: not there. Binary STL: 80 bytes, the number of triangles, and for each 12
   floats (normal, corners) and two bytes. */
static inline Soup *stl_read(const char *name)
{
    char path[1000];
    snprintf(path, sizeof path,
             "%s/ur10_rosindustrial/example-robot-data/robots/ur_description/meshes/ur10/collision/%s.stl",
             RIGOR_SHARED_MODELS, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    Soup *s = soup_new();
    unsigned char head[84], body[50];
    bool good = fread(head, 1, 84, file) == 84;
    while (good && fread(body, 1, 50, file) == 50 && s->nvertices + 3 <= SOUP_ROOM) {
        float x[12];
        memcpy(x, body, sizeof x);
        for (int k = 0; k < 3; k++)
            soup_vertex(s, (double)x[3 + 3 * k], (double)x[4 + 3 * k], (double)x[5 + 3 * k]);
        soup_face(s, s->nvertices - 3, s->nvertices - 2, s->nvertices - 1);
    }
    fclose(file);
    return s;
}
#endif

#endif
