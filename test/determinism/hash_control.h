/* hash_control.h - prints hashes of controlled runs; false: one could not be made. */
#ifndef TEST_DETERMINISM_HASH_CONTROL_H
#define TEST_DETERMINISM_HASH_CONTROL_H

#include <stdbool.h>

bool hash_control(void);

#endif
