/* hash_batch.h - prints hashes of the runs of batches; false: one could not be made. */
#ifndef TEST_DETERMINISM_HASH_BATCH_H
#define TEST_DETERMINISM_HASH_BATCH_H

#include <stdbool.h>

bool hash_batch(void);

#endif
