/*
 * snapshot.c - a saved state: header, then t, h_next, x, u as they lie in memory. The same machine and the
 * same model read it back bit by bit.
 */
#include "base/hash.h"
#include "sim/world_internal.h"

#include <string.h>

#define SNAPSHOT_MAGIC UINT32_C(0x54534752) /* "RGST" */
#define SNAPSHOT_VERSION 1

typedef struct Header {
    uint32_t magic, version;
    int32_t coords, nx, nu, reserved;
    uint64_t signature;
    double t, h_next;
} Header;

static Header make_header(const RgWorld *w)
{
    const RgForm *form = w->scope.form;
    return (Header){SNAPSHOT_MAGIC,      SNAPSHOT_VERSION, w->coords,      form->nx, form->nu, 0,
                    w->model->signature, w->state.t,       w->state.h_next};
}

size_t rg_world_state_size(const RgWorld *w)
{
    return sizeof(Header) + ((size_t)w->scope.form->nx + (size_t)w->scope.form->nu) * sizeof(double);
}

void rg_world_state_save(const RgWorld *w, void *buffer)
{
    Header header = make_header(w);
    unsigned char *at = buffer;
    size_t x = (size_t)header.nx * sizeof(double), u = (size_t)header.nu * sizeof(double);
    memcpy(at, &header, sizeof header);
    memcpy(at + sizeof header, w->state.x, x);
    memcpy(at + sizeof header + x, w->state.u, u);
}

/* A step of no length brings quaternions to unit length: it must not change x, but for round-off. */
static bool has_unit_rotations(RgWorld *w, const unsigned char *x)
{
    const RgForm *form = w->scope.form;
    double *none = w->next.u;
    memset(none, 0, (size_t)form->nu * sizeof *none);
    memcpy(w->next.x, x, (size_t)form->nx * sizeof(double));
    form->kind->integrate(form, w->next.x, none, w->next.x);
    for (int i = 0; i < form->nx; i++) {
        double number;
        memcpy(&number, x + (size_t)i * sizeof number, sizeof number);
        if (!(fabs(w->next.x[i] - number) <= 1e-9 * (1.0 + fabs(number))))
            return false;
    }
    return true;
}

RgStatus rg_world_state_load(RgWorld *w, const void *buffer, size_t size)
{
    Header mine = make_header(w), theirs;
    if (size != rg_world_state_size(w))
        return RG_ERR_ARGUMENT;
    memcpy(&theirs, buffer, sizeof theirs);
    if (theirs.magic != mine.magic || theirs.version != mine.version || theirs.coords != mine.coords ||
        theirs.nx != mine.nx || theirs.nu != mine.nu || theirs.signature != mine.signature)
        return RG_ERR_ARGUMENT;

    /* A damaged file must not bring a NaN into the state. */
    const unsigned char *at = (const unsigned char *)buffer + sizeof theirs;
    for (int i = 0; i < theirs.nx + theirs.nu; i++) {
        double number;
        memcpy(&number, at + (size_t)i * sizeof number, sizeof number);
        if (!isfinite(number))
            return RG_ERR_NOT_FINITE;
    }
    if (!isfinite(theirs.t) || !(theirs.h_next >= 0.0 && isfinite(theirs.h_next)))
        return RG_ERR_NOT_FINITE;
    if (!has_unit_rotations(w, at))
        return RG_ERR_ARGUMENT;
    rg_world_touch(w);
    w->state.t = theirs.t;
    w->state.h_next = theirs.h_next;
    memcpy(w->state.x, at, (size_t)theirs.nx * sizeof(double));
    memcpy(w->state.u, at + (size_t)theirs.nx * sizeof(double), (size_t)theirs.nu * sizeof(double));
    return RG_OK;
}

uint64_t rg_world_hash(const RgWorld *w)
{
    uint64_t hash = rg_hash(RG_HASH_START, &w->state.t, sizeof w->state.t);
    hash = rg_hash(hash, w->state.x, (size_t)w->scope.form->nx * sizeof(double));
    return rg_hash(hash, w->state.u, (size_t)w->scope.form->nu * sizeof(double));
}
