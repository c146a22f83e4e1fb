/*
 * child.h - work in a child process whose answer comes back through a pipe: engines never share a process, and one that
 * crashes or never ends costs its own answer only.
 */
#ifndef BENCH_PEERS_CHILD_H
#define BENCH_PEERS_CHILD_H

#include "engine.h"

#include <stddef.h>
#include <sys/types.h>

/* s of the processor time of this process, or of the wall clock. */
double child_cpu(void);
double child_wall(void);

/* The engines of a module; NULL: it cannot be loaded. */
const PeerEngine *const *child_load(const char *module);
/* Those for many runs; NULL: it has none. */
const PeerRollouts *const *child_load_rollouts(const char *module);

/* Forks with a pipe; *from is the parent's end. Returns the child's id, 0 in the child, -1: failed. */
pid_t child_fork(int *from, int *to);

/* In the child: no input, nothing printed, ended after so many seconds. False: failed. */
bool child_settle(unsigned seconds);

/* In the child: the answer, and the end. An engine's threads and end-of-program code are left alone. */
_Noreturn void child_hand_back(int to, const void *memory, size_t size);

/* In the parent: reads all or fails. */
bool child_receive(int from, void *memory, size_t size);

/* In the parent: waits for a child that has not answered, and says how it ended. */
const char *child_end(pid_t child);

#endif
