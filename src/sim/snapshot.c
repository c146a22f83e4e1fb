/*
 * snapshot.c - a saved state: header, then x, u, the contact memory, sleeping bodies, damping fields reported last, and
 * attachments, as they lie in memory. The same machine and the same model read it back bit for bit. Worlds with and
 * without sleeping read each other's states: without sleeping, all bodies are awake.
 *
 * Its size changes with the number of contacts. Everything that is loaded is checked before the state changes: numbers
 * must be finite, quaternions unit, and the lists of contacts must be consistent as a step leaves them. A batch
 * restores states that it saved itself without these checks.
 */
#include "base/hash.h"
#include "sim/world_internal.h"

#include <string.h>

#define SNAPSHOT_MAGIC UINT32_C(0x54534752) /* "RGST" */
#define SNAPSHOT_VERSION 7

typedef struct Header {
    uint32_t magic, version;
    int32_t coords, nx, nu;
    int32_t npairs, nmanifolds, npoints, nrows, nreported;
    int32_t sleeping; /* 1: sleeping bodies are included */
    uint32_t draws;
    int32_t nattachments, nfields;
    uint64_t signature;
    double t, h_next, memory_h;
} Header;

static Header make_header(const RgWorld *w)
{
    const RgForm *form = w->scope.form;
    const RgContactMemory *memory = &w->state.memory;
    return (Header){.magic = SNAPSHOT_MAGIC,
                    .version = SNAPSHOT_VERSION,
                    .coords = w->coords,
                    .nx = form->nx,
                    .nu = form->nu,
                    .npairs = memory->npairs,
                    .nmanifolds = memory->nmanifolds,
                    .npoints = memory->npoints,
                    .nrows = memory->nrows,
                    .nreported = memory->nreported,
                    .sleeping = w->state.rest.body != NULL,
                    .draws = memory->draws,
                    .nattachments = rg_world_count_attachments(w),
                    .nfields = rg_world_count_fields_reported(w),
                    .signature = w->model->signature,
                    .t = w->state.t,
                    .h_next = w->state.h_next,
                    .memory_h = memory->h};
}

/* Bytes of each part behind the header. */
typedef struct Sizes {
    size_t x, u, pairs, manifolds, points, rows, told, rest, tau, wrenches, fields, attachments;
} Sizes;

static Sizes sizes_of(const Header *h, const RgModel *m)
{
    size_t resting = h->sleeping != 0 ? 1 : 0;
    return (Sizes){.x = (size_t)h->nx * sizeof(double),
                   .u = (size_t)h->nu * sizeof(double),
                   .pairs = (size_t)h->npairs * sizeof(RgRememberedPair),
                   .manifolds = (size_t)h->nmanifolds * sizeof(RgRememberedManifold),
                   .points = (size_t)h->npoints * sizeof(RgRememberedPoint),
                   .rows = (size_t)h->nrows * sizeof(double),
                   .told = (size_t)h->nreported * sizeof(RgReportedContact),
                   .rest = resting * (size_t)m->nbodies * sizeof(RgBodyRest),
                   .tau = resting * (size_t)m->nv * sizeof(double),
                   .wrenches = resting * (size_t)m->nlinks * sizeof(RgForce),
                   .fields = (size_t)h->nfields * sizeof(int32_t),
                   .attachments = (size_t)h->nattachments * sizeof(RgAttachment)};
}

/* Size without sleeping bodies, fields and attachments. */
static size_t total_awake(const Header *h, const RgModel *m)
{
    Sizes s = sizes_of(h, m);
    return sizeof *h + s.x + s.u + s.pairs + s.manifolds + s.points + s.rows + s.told;
}

static size_t total(const Header *h, const RgModel *m)
{
    Sizes s = sizes_of(h, m);
    return total_awake(h, m) + s.rest + s.tau + s.wrenches + s.fields + s.attachments;
}

size_t rg_world_state_size(const RgWorld *w)
{
    Header header = make_header(w);
    return total(&header, w->model);
}

static unsigned char *append_bytes(unsigned char *at, const void *from, size_t bytes)
{
    if (bytes > 0)
        memcpy(at, from, bytes);
    return at + bytes;
}

static const unsigned char *read_bytes(const unsigned char *at, void *to, size_t bytes)
{
    if (bytes > 0)
        memcpy(to, at, bytes);
    return at + bytes;
}

void rg_world_state_save(const RgWorld *w, void *buffer)
{
    Header header = make_header(w);
    Sizes s = sizes_of(&header, w->model);
    const RgContactMemory *memory = &w->state.memory;
    unsigned char *at = append_bytes(buffer, &header, sizeof header);
    at = append_bytes(at, w->state.x, s.x);
    at = append_bytes(at, w->state.u, s.u);
    at = append_bytes(at, memory->pairs, s.pairs);
    at = append_bytes(at, memory->manifolds, s.manifolds);
    at = append_bytes(at, memory->points, s.points);
    at = append_bytes(at, memory->rows, s.rows);
    at = append_bytes(at, memory->told, s.told);
    at = append_bytes(at, w->state.rest.body, s.rest);
    at = append_bytes(at, w->state.rest.tau, s.tau);
    at = append_bytes(at, w->state.rest.wrenches, s.wrenches);
    at = append_bytes(at, w->reports.in_field, s.fields);
    append_bytes(at, w->attachments.slot, s.attachments);
}

/* Checks quaternions: integrating a zero step normalises them, which must not change x beyond round-off. */
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

static bool pose_is_finite(const RgPose *X)
{
    return v3_finite(X->p) && v3_finite(m3_column(X->R, 0)) && v3_finite(m3_column(X->R, 1)) &&
           v3_finite(m3_column(X->R, 2));
}

/* Checks reported states: ascending order, valid shapes or limits, finite vectors. */
static bool reports_are_valid(const RgContactMemory *m, const RgWorld *w)
{
    int32_t a = 0, b = -1, limits = w->scope.contact != NULL ? 2 * w->scope.contact->setup.bounded->naxes : 0;
    for (int32_t k = 0; k < m->nreported; k++) {
        const RgReportedContact *t = &m->told[k];
        bool ascends = t->shape_a > a || (t->shape_a == a && t->shape_b > b);
        bool limit = t->shape_a == 0 && t->shape_b < limits;
        bool pair = t->shape_a > 0 && t->shape_b > t->shape_a && t->shape_b <= w->model->nshapes;
        if (!ascends || !(limit || pair) || !v3_finite(t->point) || !v3_finite(t->normal))
            return false;
        a = t->shape_a;
        b = t->shape_b;
    }
    return true;
}

/* Checks the memory: pairs in ascending order, manifolds and points contiguous, finite numbers. */
static bool memory_is_valid(const RgContactMemory *m, int nshapes)
{
    int32_t manifolds = 0, points = 0, a = 0, b = 0;
    for (int32_t k = 0; k < m->npairs; k++) {
        const RgRememberedPair *p = &m->pairs[k];
        bool ascends = p->shape_a > a || (p->shape_a == a && p->shape_b > b);
        if (!ascends || p->shape_a < 1 || p->shape_a >= p->shape_b || p->shape_b > nshapes ||
            p->first_manifold != manifolds || p->first_point != points || p->nmanifolds < 0 ||
            p->nmanifolds > m->nmanifolds - manifolds || !pose_is_finite(&p->X_AB) ||
            !(isfinite(p->reach) && p->reach >= 0.0) || !v3_finite(p->moment))
            return false;
        a = p->shape_a;
        b = p->shape_b;
        for (int32_t i = 0; i < p->nmanifolds; i++) {
            const RgRememberedManifold *f = &m->manifolds[manifolds++];
            if (f->first != points || f->count < 0 || f->count > m->npoints - points || !v3_finite(f->normal_A))
                return false;
            points += f->count;
        }
        if (p->npoints != points - p->first_point)
            return false;
    }
    for (int32_t i = 0; i < m->nrows; i++)
        if (!isfinite(m->rows[i]))
            return false;
    for (int32_t i = 0; i < m->npoints; i++)
        if (!v3_finite(m->points[i].point_A) || !v3_finite(m->points[i].point_B) || !v3_finite(m->points[i].impulse))
            return false;
    return manifolds == m->nmanifolds && points == m->npoints;
}

/* Reads the contact memory of a saved state into the state of the next step. Returns false if out of memory. */
static bool read_memory(RgWorld *w, const Header *h, const unsigned char *at)
{
    Sizes s = sizes_of(h, w->model);
    RgContactMemory *memory = &w->next.memory;
    if (!rg_contact_memory_reserve(memory, &w->arena.allocator,
                                   (RgContactCounts){h->npairs, h->nmanifolds, h->npoints, h->nrows, h->nreported}))
        return false;
    memory->stamp = 0;
    memory->npairs = h->npairs;
    memory->nmanifolds = h->nmanifolds;
    memory->npoints = h->npoints;
    memory->nrows = h->nrows;
    memory->nreported = h->nreported;
    memory->h = h->memory_h;
    memory->draws = h->draws;
    at = read_bytes(at, memory->pairs, s.pairs);
    at = read_bytes(at, memory->manifolds, s.manifolds);
    at = read_bytes(at, memory->points, s.points);
    at = read_bytes(at, memory->rows, s.rows);
    read_bytes(at, memory->told, s.told);
    return true;
}

static bool next_memory_is_valid(const RgWorld *w)
{
    const RgContactMemory *memory = &w->next.memory;
    return isfinite(memory->h) && memory->h >= 0.0 && memory_is_valid(memory, w->model->nshapes) &&
           reports_are_valid(memory, w);
}

static bool rest_is_valid(const RgModel *m, const RgRest *rest)
{
    for (int i = 0; i < m->nbodies; i++) {
        const RgBodyRest *b = &rest->body[i];
        if (!(b->quiet >= 0.0 && isfinite(b->quiet)) || (b->asleep != 0 && b->asleep != 1) ||
            (b->seen != 0 && b->seen != b->asleep))
            return false;
    }
    for (int k = 0; k < m->nv; k++)
        if (!isfinite(rest->tau[k]))
            return false;
    for (int l = 0; l < m->nlinks; l++)
        if (!v3_finite(rest->wrenches[l].n) || !v3_finite(rest->wrenches[l].f))
            return false;
    return true;
}

/* Reads the sleeping bodies into the state of the next step. Not used by a world without sleeping. */
static void read_rest(RgWorld *w, const Header *h, const unsigned char *at)
{
    RgRest *rest = &w->next.rest;
    if (rest->body == NULL)
        return;
    rg_rest_clear(w->model, rest);
    Sizes s = sizes_of(h, w->model);
    at = read_bytes(at, rest->body, s.rest);
    at = read_bytes(at, rest->tau, s.tau);
    read_bytes(at, rest->wrenches, s.wrenches);
}

/* Reads everything of a saved state except x and u into the state of the next step. */
static bool read_into_next(RgWorld *w, const Header *h, const void *buffer)
{
    Sizes s = sizes_of(h, w->model);
    const unsigned char *at = buffer;
    read_rest(w, h, at + total_awake(h, w->model));
    return read_memory(w, h, at + sizeof *h + s.x + s.u);
}

/* Location of the attachments in a saved state; not aligned. */
static const RgAttachment *saved_attachments(const Header *h, const RgModel *m, const void *buffer)
{
    return (const void *)((const unsigned char *)buffer + total(h, m) - sizes_of(h, m).attachments);
}

/* The same of the fields reported last. */
static const void *saved_fields(const Header *h, const RgModel *m, const void *buffer)
{
    return (const unsigned char *)saved_attachments(h, m, buffer) - sizes_of(h, m).fields;
}

/* Makes what was read the present state; x and u come from the buffer. */
static void accept_state(RgWorld *w, const Header *h, const void *buffer)
{
    Sizes s = sizes_of(h, w->model);
    rg_world_touch(w);
    rg_world_restore_attachments(w, saved_attachments(h, w->model, buffer), h->nattachments);
    rg_world_set_fields_reported(w, saved_fields(h, w->model, buffer), h->nfields);
    if (w->state.rest.body != NULL)
        rg_rest_copy(w->model, &w->next.rest, &w->state.rest);
    w->state.t = h->t;
    w->state.h_next = h->h_next;
    RgContactMemory old = w->state.memory;
    w->state.memory = w->next.memory;
    w->next.memory = old;
    const unsigned char *at = read_bytes((const unsigned char *)buffer + sizeof *h, w->state.x, s.x);
    read_bytes(at, w->state.u, s.u);
}

static bool header_fits(const Header *mine, const Header *theirs, const RgModel *m, size_t size)
{
    return theirs->magic == mine->magic && theirs->version == mine->version && theirs->coords == mine->coords &&
           theirs->nx == mine->nx && theirs->nu == mine->nu && theirs->signature == mine->signature &&
           theirs->npairs >= 0 && theirs->nmanifolds >= 0 && theirs->npoints >= 0 && theirs->nrows >= 0 &&
           theirs->nreported >= 0 && theirs->nattachments >= 0 && theirs->nfields >= 0 &&
           (theirs->sleeping == 0 || theirs->sleeping == 1) && size == total(theirs, m);
}

RgStatus rg_world_state_load(RgWorld *w, const void *buffer, size_t size)
{
    Header mine = make_header(w), theirs;
    if (size < sizeof theirs)
        return RG_ERR_ARGUMENT;
    memcpy(&theirs, buffer, sizeof theirs);
    if (!header_fits(&mine, &theirs, w->model, size))
        return RG_ERR_ARGUMENT;

    /* No NaN may enter the state. */
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
    if (!read_into_next(w, &theirs, buffer))
        return RG_ERR_MEMORY;
    if (!next_memory_is_valid(w) || (w->next.rest.body != NULL && !rest_is_valid(w->model, &w->next.rest)))
        return RG_ERR_ARGUMENT;
    if (!rg_world_attachments_good(w, saved_attachments(&theirs, w->model, buffer), theirs.nattachments))
        return RG_ERR_ARGUMENT;
    if (!rg_world_fields_reported_good(w, saved_fields(&theirs, w->model, buffer), theirs.nfields))
        return RG_ERR_ARGUMENT;
    accept_state(w, &theirs, buffer);
    return RG_OK;
}

RgStatus rg_world_state_restore(RgWorld *w, const void *buffer)
{
    Header header;
    memcpy(&header, buffer, sizeof header);
    bool whole = read_into_next(w, &header, buffer);
    if (!whole)
        rg_contact_memory_clear(&w->next.memory);
    accept_state(w, &header, buffer);
    return whole ? RG_OK : RG_ERR_MEMORY;
}

double rg_state_time(const void *buffer)
{
    Header header;
    memcpy(&header, buffer, sizeof header);
    return header.t;
}

uint64_t rg_state_hash(const void *buffer)
{
    Header h;
    memcpy(&h, buffer, sizeof h);
    const unsigned char *x = (const unsigned char *)buffer + sizeof h;
    uint64_t hash = rg_hash(RG_HASH_START, &h.t, sizeof h.t);
    hash = rg_hash(hash, x, (size_t)h.nx * sizeof(double));
    return rg_hash(hash, x + (size_t)h.nx * sizeof(double), (size_t)h.nu * sizeof(double));
}

uint64_t rg_world_hash(const RgWorld *w)
{
    uint64_t hash = rg_hash(RG_HASH_START, &w->state.t, sizeof w->state.t);
    hash = rg_hash(hash, w->state.x, (size_t)w->scope.form->nx * sizeof(double));
    return rg_hash(hash, w->state.u, (size_t)w->scope.form->nu * sizeof(double));
}
