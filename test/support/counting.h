/* counting.h - an allocator that counts, and that can be told to fail. */
#ifndef TEST_SUPPORT_COUNTING_H
#define TEST_SUPPORT_COUNTING_H

#include <rigor/base.h>

typedef struct Counting {
    long calls;   /* of alloc */
    long blocks;  /* alive */
    long fail_at; /* this call of alloc (from 1) and all later ones give NULL; 0: never */
} Counting;

/* counting must outlive everything allocated. */
RgAllocator counting_allocator(Counting *counting);

#endif
