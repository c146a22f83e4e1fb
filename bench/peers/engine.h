/*
 * engine.h - what an engine must offer to be measured: make a scene, step, say where the bodies are.
 *
 * One file an engine (engine_<name>), each a module of its own that the runner (peers_main.c) loads into a
 * child process: libraries with the same symbols do not meet, and one that crashes costs its own row only.
 * A module may hold several ways of its engine to do the same (solvers, coordinates).
 */
#ifndef BENCH_PEERS_ENGINE_H
#define BENCH_PEERS_ENGINE_H

#include "scene_data.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PeerOptions {
    int threads;        /* 1, or what the engine was asked to use */
    int iterations;     /* of iterative solvers */
    double accuracy;    /* of engines that choose their steps by one; 0: not asked for */
    const char *solver; /* of engines that have several under one name; NULL: the engine's choice */
} PeerOptions;

typedef struct PeerEngine {
    const char *id;      /* as --engine names it */
    const char *title;   /* as the table names it */
    const char *setting; /* solver, tolerances and tricks in one line */
    const char *(*version)(void);

    /* NULL: can do it; otherwise what it lacks. */
    const char *(*lacks)(const SceneData *scene, const PeerOptions *options);

    /* The scene at its start; NULL: failed. It lives until destroy, and scene lives longer. */
    void *(*create)(const SceneData *scene, const PeerOptions *options);

    /* Advances by the scene's dt, drives included. */
    void (*step)(void *world);

    /* State of a body now. Takes no part in timed runs. */
    void (*read)(void *world, int body, SceneBodyState *state);
    void (*destroy)(void *world);
    /* Coordinate and rate of a joint now; NULL: not offered. */
    void (*joint)(void *world, int joint, double *q, double *rate);
    bool by_accuracy; /* chooses its steps by an accuracy; the scene's dt is only when it must stop */
} PeerEngine;

/* What a module exports: its engines, NULL at the end. */
typedef const PeerEngine *const *PeerEnginesFn(void);
#define PEER_ENGINES "peer_engines"
PeerEnginesFn peer_engines;

/*
 * Many runs of one scene, which a module may export beside its engines: one model, and for each thread the data that
 * runs change. All but model and destroy are called by several threads at once, each with data of its own.
 */
typedef struct PeerRollouts {
    const char *title, *setting;
    const char *(*version)(void);
    void *(*model)(const SceneData *scene); /* NULL: failed */
    void *(*data)(void *model);
    /* The scene's start again, body 0 with this velocity of its centre. */
    void (*start)(void *data, RgVec3 v);
    void (*step)(void *data);
    void (*read)(void *data, int body, SceneBodyState *state);
    void (*release)(void *data);
    void (*destroy)(void *model);
} PeerRollouts;

/* NULL ends the list. */
typedef const PeerRollouts *const *PeerRolloutsFn(void);
#define PEER_ROLLOUTS "peer_rollouts"
PeerRolloutsFn peer_rollouts;

/* Rigor's own, in the runner itself. */
PeerEnginesFn rigor_engines;

#ifdef __cplusplus
}
#endif
#endif
