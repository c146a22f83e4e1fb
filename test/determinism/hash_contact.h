/* hash_contact.h - prints hashes of runs with contact; false: one could not be made. */
#ifndef TEST_DETERMINISM_HASH_CONTACT_H
#define TEST_DETERMINISM_HASH_CONTACT_H

#include <stdbool.h>

bool hash_contact(void);

#endif
