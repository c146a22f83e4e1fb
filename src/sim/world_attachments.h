/* world_attachments.h - joints that a world attaches and releases at run time. */
#ifndef RIGOR_WORLD_ATTACHMENTS_H
#define RIGOR_WORLD_ATTACHMENTS_H

#include "model/model_attach.h"
#include "stepper/step_log.h"

#include <rigor/attachment.h>

/* One attachment, as it is saved: without pointers. */
typedef struct RgAttachment {
    bool used, attached, broken;
    bool attach_done, detach_done; /* their causes have occurred */
    RgAttachmentDef def;           /* without names; joint.X_PJ as defined */
    RgPose X_PJ;                   /* joint frame on the parent when it was attached */
    double since;
    char name[RG_ATTACHMENT_NAME];
} RgAttachment;

typedef struct RgAttachments {
    RgModel *model; /* the world's copy of the model; NULL: no attachments */
    int room;
    RgAttachment *slot; /* room */
    RgEvent *events;    /* since the last step */
    int nevents, event_room;
} RgAttachments;

/* Allocates the memory. Returns false if out of memory. model: as compiled. */
bool rg_attachments_alloc(RgArena *arena, const RgModel *model, int room, RgAttachments *out);

/* Call at the end of an accepted step: breaks, releases and attaches what is due. */
void rg_world_update_attachments(RgWorld *world, RgStepReport *report);

/* Attachments of a saved state: number to save; validity of saved ones; restoring them. */
int rg_world_count_attachments(const RgWorld *world);
bool rg_world_attachments_good(const RgWorld *world, const RgAttachment *saved, int count);
void rg_world_restore_attachments(RgWorld *world, const RgAttachment *saved, int count);

#endif
