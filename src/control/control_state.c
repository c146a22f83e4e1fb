/*
 * control_state.c - the state of a control, in one block of memory that is saved and loaded as a whole.
 *
 *   head | memories of the controllers | records of the joints | current commands | newest commands | times and
 *   commands of the delay ring
 *
 * A loaded block is validated first: it must belong to the same controllers, with finite numbers and a valid ring.
 */
#include "control/control_internal.h"

#include "base/hash.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

#define CONTROL_MAGIC UINT32_C(0x54434752) /* "RGCT" */
#define CONTROL_VERSION 1
#define ALIGNMENT 16 /* bytes: of every part of the block */

static size_t padded(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Pointers to the parts of a block; *size: its length. block NULL: size only. */
static RgControlState lay_out(const RgControl *c, unsigned char *block, size_t *size)
{
    size_t n = (size_t)c->njoints, waiting = (size_t)c->capacity * n;
    size_t memory = padded(sizeof(RgControlHead));
    size_t records = memory + padded((size_t)c->nmemory * sizeof(double));
    size_t current = records + padded(n * sizeof(RgJointRecord));
    size_t last = current + padded(n * sizeof(RgJointCommand));
    size_t due = last + padded(n * sizeof(RgJointCommand));
    size_t ring = due + padded((size_t)c->capacity * sizeof(double));
    *size = ring + padded(waiting * sizeof(RgJointCommand));
    if (block == NULL)
        return (RgControlState){.head = NULL};
    return (RgControlState){.head = (RgControlHead *)(void *)block,
                            .memory = (double *)(void *)(block + memory),
                            .records = (RgJointRecord *)(void *)(block + records),
                            .current = (RgJointCommand *)(void *)(block + current),
                            .last = (RgJointCommand *)(void *)(block + last),
                            .due = (double *)(void *)(block + due),
                            .waiting = (RgJointCommand *)(void *)(block + ring)};
}

/* Hash of everything that determines the meaning of the block. */
static uint64_t signature(const RgControl *c)
{
    uint64_t hash = rg_hash(RG_HASH_START, &c->period, sizeof c->period);
    hash = rg_hash(hash, &c->delay, sizeof c->delay);
    int32_t sizes[3] = {c->njoints, c->nmemory, c->capacity};
    hash = rg_hash(hash, sizes, sizeof sizes);
    for (int i = 0; i < c->ncontrollers; i++) {
        const char *kind = c->controllers[i].kind->name;
        hash = rg_hash(hash, kind, strlen(kind));
    }
    for (int k = 0; k < c->njoints; k++) {
        int32_t ids[2] = {c->joints[k]->joint.i, c->joints[k]->dof};
        hash = rg_hash(hash, ids, sizeof ids);
    }
    return rg_hash(hash, &c->model->signature, sizeof c->model->signature);
}

bool rg_control_state_alloc(RgControl *c)
{
    lay_out(c, NULL, &c->block_size);
    c->block = RG_ARENA_ALLOC(&c->arena, unsigned char, c->block_size);
    c->before = RG_ARENA_ALLOC(&c->arena, unsigned char, c->block_size);
    if (c->block == NULL || c->before == NULL)
        return false;
    c->state = lay_out(c, c->block, &c->block_size);
    rg_control_state_clear(c);
    return true;
}

void rg_control_state_clear(RgControl *c)
{
    memset(c->block, 0, c->block_size);
    *c->state.head = (RgControlHead){.magic = CONTROL_MAGIC, .version = CONTROL_VERSION, .signature = signature(c)};
}

size_t rg_control_state_size(const RgControl *c)
{
    return c->block_size;
}

void rg_control_state_save(const RgControl *c, void *buffer)
{
    memcpy(buffer, c->block, c->block_size);
}

static bool finite_all(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* Whether a loaded byte is a valid bool. */
static bool flag_sound(const bool *flag)
{
    unsigned char byte;
    memcpy(&byte, flag, 1);
    return byte <= 1;
}

static bool command_sound(const RgJointCommand *command)
{
    const RgDrive *d = &command->drive;
    if (!flag_sound(&command->drives) || !flag_sound(&command->slowed) || !flag_sound(&d->hard))
        return false;
    return isfinite(command->effort) && isfinite(d->position) && isfinite(d->velocity) && isfinite(d->time) &&
           isfinite(d->feed) && d->kp >= 0.0 && isfinite(d->kp) && d->kd >= 0.0 && isfinite(d->kd) && d->rate >= 0.0;
}

static bool commands_sound(const RgJointCommand *commands, int n)
{
    for (int i = 0; i < n; i++)
        if (!command_sound(&commands[i]))
            return false;
    return true;
}

static bool head_sound(const RgControl *c, const RgControlHead *head)
{
    const RgControlHead *mine = c->state.head;
    return head->magic == mine->magic && head->version == mine->version && head->signature == mine->signature &&
           (head->started == 0 || head->started == 1) && head->next >= 0 && head->head >= 0 &&
           head->head < c->capacity && head->queued >= 0 && head->queued <= c->capacity && finite_all(&head->start, 7);
}

static bool block_sound(const RgControl *c, unsigned char *block)
{
    size_t size;
    RgControlState s = lay_out(c, block, &size);
    int numbers = c->njoints * (int)(sizeof *s.records / sizeof(double));
    return head_sound(c, s.head) && finite_all(&s.records->wanted.position, numbers) &&
           finite_all(s.memory, c->nmemory) && finite_all(s.due, c->capacity) &&
           commands_sound(s.current, c->njoints) && commands_sound(s.last, c->njoints) &&
           commands_sound(s.waiting, c->capacity * c->njoints);
}

RgStatus rg_control_state_load(RgControl *c, const void *buffer, size_t size)
{
    if (buffer == NULL || size != c->block_size)
        return RG_ERR_ARGUMENT;
    memcpy(c->before, buffer, size);
    if (!block_sound(c, c->before))
        return RG_ERR_ARGUMENT;
    memcpy(c->block, c->before, size);
    return RG_OK;
}
