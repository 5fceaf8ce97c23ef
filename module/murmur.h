/* MurmurHash64A with seed 0: RedisBloom's hash function, and our checksum of small things. */
#ifndef GUIRA_MODULE_MURMUR_H
#define GUIRA_MODULE_MURMUR_H

#include <stddef.h>
#include <stdint.h>

uint64_t murmur(const void *bytes, size_t n);

#endif
