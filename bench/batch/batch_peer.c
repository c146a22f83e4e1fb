/*
 * batch_peer.c - the rollouts by another engine: threads that take one run after the other, each with data of its own
 * over one model, as that engine's manual tells its users to do.
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
    int end;         /* and the first that is not of this piece */
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
    for (int run; (run = atomic_fetch_add(&m->team->next, 1)) < m->team->end;)
        roll(m, run, m->team->plan->steps);
    return NULL;
}

/* The runs of a piece, by so many threads. False: the system has no more threads. */
static bool work_together(Team *team, Member *members, int threads, int piece)
{
    int made = 1;
    atomic_store(&team->next, piece * team->plan->piece);
    team->end = (piece + 1) * team->plan->piece;
    while (made < threads && pthread_create(&members[made].thread, NULL, work, &members[made]) == 0)
        made++;
    work(&members[0]);
    for (int i = 1; i < made; i++)
        pthread_join(members[i].thread, NULL);
    return made == threads;
}

/* Data for every thread, each of them a little used. False: it cannot be had. */
static bool furnish(Team *team, Member *members, int threads, void *model)
{
    for (int i = 0; i < threads; i++) {
        members[i].team = team;
        members[i].data = team->peer->data(model);
        if (members[i].data == NULL)
            return false;
        roll(&members[i], i, WARM_UP);
        for (int k = 0; k < SCENE_ERRORS; k++)
            members[i].worst[k] = 0.0;
    }
    return true;
}

static bool roll_piece(Team *team, Member *members, int which, int piece, BatchAnswer *answer)
{
    double start = child_wall(), cpu = child_cpu();
    bool good = work_together(team, members, which == 0 ? 1 : team->plan->threads, piece);
    answer->seconds[which][piece] = child_wall() - start;
    answer->cpu[which] += child_cpu() - cpu;
    return good;
}

void batch_run_peer(const PeerRollouts *peer, const BatchPlan *plan, BatchAnswer *answer)
{
    SceneData *scene = scene_data_create(BATCH_SCENE);
    Team team = {.peer = peer, .plan = plan, .scene = scene};
    int threads = plan->threads;
    bool good = threads >= 1 && threads <= MOST_THREADS && scene->nbodies <= MOST_BODIES;
    Member *members = good ? calloc((size_t)threads, sizeof *members) : NULL;
    void *model = members != NULL ? peer->model(scene) : NULL;
    snprintf(answer->title, sizeof answer->title, "%s %s", peer->title, peer->version());
    good = model != NULL && furnish(&team, members, threads, model);
    for (int k = 0; good && k < plan->pieces; k++)
        good = roll_piece(&team, members, 0, k, answer) && roll_piece(&team, members, 1, k, answer);
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
