/* The hash functions that the programs of the guide and the tutorial use, written from their definitions. */
#ifndef GUIRA_LAB_PROGRAM_HASHES_H
#define GUIRA_LAB_PROGRAM_HASHES_H

#include <stddef.h>
#include <stdint.h>

/* FNV-1a with 64 bits: what Go's hash/fnv computes. */
uint64_t fnv1a_64(const char *s, size_t n);

/* The guide's Java program: a polynomial of the characters, then one round of mixing. */
uint64_t guide_java_hash(const char *s, size_t n);

/* hash() of a str in CPython since 3.11, for text in ASCII: SipHash-1-3 with a key drawn when the process starts. A key
 * of zeros is PYTHONHASHSEED=0. */
struct python_key {
    uint64_t k0, k1;
};
uint64_t python_str_hash(struct python_key key, const char *s, size_t n);

/* hash(("seed", s)) in CPython since 3.8, as the guide's Python program calls it. */
uint64_t guide_python_hash(struct python_key key, const char *s, size_t n);

#endif
