/* Faults: calls of the system that fail, and kill -9 at one of them. The program is linked with --wrap for these calls, so
 * the library needs no code for it. Faults are on only between fault_begin and fault_end. */
#ifndef GUIRA_STRESS_FAULTS_H
#define GUIRA_STRESS_FAULTS_H

#include "stress.h"

/* Uses guira_set_allocator from here on; before any filter is made. */
void faults_hook(void);
bool faults_are_hooked(void);
uint64_t faults_blocks(void); /* allocated by the hook and not released */

/* The n-th allocation or mmap from now fails; if `all`, those after it, too. */
void fault_memory(uint64_t n, bool all);

enum disk_fault { DISK_FAILS, DISK_SHORT, DISK_KILLS, DISK_KILLS_HALF_WAY, DISK_FAULTS };
/* The n-th of the calls with which a file is saved. */
void fault_disk(uint64_t n, enum disk_fault what);

/* No faults any longer. Returns how many there were. */
unsigned fault_end(void);

#endif
