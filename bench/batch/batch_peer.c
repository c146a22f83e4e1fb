/*
 * batch_peer.c - the rollouts by another engine: threads that take one run after the other, each with data of its own over one
 * model, as that engine's manual tells its users to do.
 */
#include "batch_bench.h"
#include "child.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_THREADS = 64, MOST_BODIES = 32, WARM_UP = 20 };

typedef struct Team {
    const PeerRollouts *peer;
    const BatchPlan *plan;
    const SceneData *scene;
    atomic_int next; /* run that is taken next */
} Team;

typedef struct Member {
    Team *team;
    void *data;
    double worst[SCENE_ERRORS];
    pthread_t thread;
    char apart[64]; /* from the next one's, by a line of the cache */
} Member;

static void roll(Member *m, int run, int steps)
{
    const PeerRollouts *peer = m->team->peer;
    const SceneData *scene = m->team->scene;
    peer->start(m->data, batch_start(run));
    for (int i = 0; i < steps; i++)
        peer->step(m->data);
    SceneBodyState states[MOST_BODIES];
    for (int i = 0; i < scene->nbodies; i++)
        peer->read(m->data, i, &states[i]);
    SceneMeasure measure = scene_measure_begin(scene);
    scene_measure_sample(&measure, states);
    batch_worst(m->worst, measure.value);
}

static void *work(void *context)
{
    Member *m = context;
    for (int run; (run = atomic_fetch_add(&m->team->next, 1)) < m->team->plan->runs;)
        roll(m, run, m->team->plan->steps);
    return NULL;
}

/* All runs, by all threads. False: the system has no more threads. */
static bool work_together(Member *members, int threads)
{
    int made = 1;
    while (made < threads && pthread_create(&members[made].thread, NULL, work, &members[made]) == 0)
        made++;
    work(&members[0]);
    for (int i = 1; i < made; i++)
        pthread_join(members[i].thread, NULL);
    return made == threads;
}

void batch_run_peer(const PeerRollouts *peer, const BatchPlan *plan, BatchAnswer *answer)
{
    SceneData *scene = scene_data_create(BATCH_SCENE);
    Team team = {.peer = peer, .plan = plan, .scene = scene};
    int threads = plan->threads;
    bool good = threads >= 1 && threads <= MOST_THREADS && scene->nbodies <= MOST_BODIES;
    Member *members = good ? calloc((size_t)threads, sizeof *members) : NULL;
    void *model = members != NULL ? peer->model(scene) : NULL;
    good = model != NULL;
    snprintf(answer->title, sizeof answer->title, "%s %s", peer->title, peer->version());
    for (int i = 0; good && i < threads; i++) {
        members[i].team = &team;
        members[i].data = peer->data(model);
        good = members[i].data != NULL;
        if (good)
            roll(&members[i], i, WARM_UP);
        for (int k = 0; k < SCENE_ERRORS; k++)
            members[i].worst[k] = 0.0;
    }
    double start = child_wall(), cpu = child_cpu();
    good = good && work_together(members, threads);
    answer->seconds = child_wall() - start;
    answer->cpu = child_cpu() - cpu;
    for (int i = 0; members != NULL && i < threads; i++) {
        batch_worst(answer->error, members[i].worst);
        if (members[i].data != NULL)
            peer->release(members[i].data);
    }
    if (model != NULL)
        peer->destroy(model);
    answer->done = good;
    free(members);
    scene_data_destroy(scene);
}
