/* broadphase_peers.h - the broad phase part of rigor-bench-collision. */
#ifndef BENCH_PEERS_BROADPHASE_PEERS_H
#define BENCH_PEERS_BROADPHASE_PEERS_H

/* Prints the table; quick: fewer frames. */
void broadphase_table(bool quick);

#endif
