/* world_attachments.h - joints that a world makes and releases at run time. */
#ifndef RIGOR_WORLD_ATTACHMENTS_H
#define RIGOR_WORLD_ATTACHMENTS_H

#include "model/model_attach.h"
#include "stepper/step_log.h"

#include <rigor/attachment.h>

/* One of them, as it is saved: no pointers. */
typedef struct RgAttachment {
    bool used, attached, broken;
    bool attach_done, detach_done; /* their causes have come true */
    RgAttachmentDef def;           /* without names; joint.X_PJ as given */
    RgPose X_PJ;                   /* as attached */
    double since;
    char name[RG_ATTACHMENT_NAME];
} RgAttachment;

typedef struct RgAttachments {
    RgModel *model; /* the world's own view; NULL: no room */
    int room;
    RgAttachment *slot; /* room */
    RgEvent *events;    /* since the last step */
    int nevents, event_room;
} RgAttachments;

/* Memory. False: none. model: as compiled. */
bool rg_attachments_take(RgArena *arena, const RgModel *model, int room, RgAttachments *out);

/* At the end of a step that was accepted: breaks, releases and attaches what is due. */
void rg_world_act_attachments(RgWorld *world, RgStepReport *report);

/* Those of a saved state: how many there are to save; whether they can be taken over; that. */
int rg_world_count_attachments(const RgWorld *world);
bool rg_world_attachments_good(const RgWorld *world, const RgAttachment *saved, int count);
void rg_world_restore_attachments(RgWorld *world, const RgAttachment *saved, int count);

#endif
