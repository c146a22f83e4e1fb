/* outside.c - what an outside project does first: includes everything, links, calls (C and C++ alike). */
#include <rigor/rigor.h>

#include <stdio.h>

/* A batch needs OpenMP's library, where Rigor was built with it. */
static int make_batch(void)
{
    RgError error;
    RgBatchDef def = rg_batch_def_default();
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    RgLinkDef link = rg_link_def_default();
    link.name = "body";
    link.inertia.mass = 1.0;
    link.inertia.I.xx = link.inertia.I.yy = link.inertia.I.zz = 1.0;
    rg_builder_add_link(builder, &link);
    RgModel *model = rg_builder_finish(builder, &error);
    rg_builder_destroy(builder);
    def.world.model = model;
    def.runs = 4;
    RgBatch *batch = model != NULL ? rg_batch_create(&def, &error) : NULL;
    int good = batch != NULL && rg_batch_step(batch, 1e-3, NULL, &error) == RG_OK && rg_batch_failures(batch) == 0;
    printf("a batch of 4 runs, %d threads\n", batch != NULL ? rg_batch_threads(batch) : 0);
    rg_batch_destroy(batch);
    rg_model_destroy(model);
    return good;
}

int main(void)
{
    printf("rigor %s\n", rg_version());
    return make_batch() && rg_status_text(RG_OK)[0] == 's' ? 0 : 1;
}
