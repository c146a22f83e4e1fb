/* hash_collision.h - the part of hash_main.c that asks collision queries. */
#ifndef TEST_DETERMINISM_HASH_COLLISION_H
#define TEST_DETERMINISM_HASH_COLLISION_H

#include <stdbool.h>

/* Prints "collision query kind kind hash", one line for each query and pair of kinds. */
bool hash_collision(void);

#endif
