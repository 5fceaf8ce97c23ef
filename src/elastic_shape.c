/* The arithmetic of an elastic filter's changing size: see elastic.h. */
#include "elastic.h"

static uint64_t scale(uint64_t half_hash, uint64_t n) { return half_hash * n >> 32; }

static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 29)) * UINT64_C(0xd1342543de82ef95);
    return x ^ (x >> 32);
}

struct shape guira__shape_make(uint64_t buckets) {
    uint32_t reach = 63U - (uint32_t)__builtin_clzll(buckets);
    return (struct shape){.first = buckets, .buckets = buckets, .first_reach = reach, .reach = reach};
}

static bool step(struct shape *s, uint64_t buckets, unsigned kind) {
    s->buckets = buckets;
    s->step[s->steps++] = (uint8_t)kind;
    return true;
}

/* There are 2^bits - 1 windows of 2^n buckets, and an extension spreads the same ones over more buckets. */
bool guira__shape_extend(struct shape *s, unsigned factor, unsigned bits) {
    uint64_t buckets = s->buckets * factor;
    if (s->steps == MAX_STEPS || buckets > GUIRA__MOST_BUCKETS) return false;
    if (buckets >> s->reach > packed_mask(bits) / OFFSETS) return false;
    return step(s, buckets, factor);
}

bool guira__shape_halve(struct shape *s) {
    if (s->steps == MAX_STEPS || s->reach <= KEPT_REACH) return false;
    s->reach--;
    return step(s, (s->buckets + 1) / 2, HALVED);
}

bool guira__shape_fold(struct shape *s) {
    if (s->steps == 0 || s->step[s->steps - 1] == HALVED) return false;
    s->steps--;
    s->buckets /= s->step[s->steps];
    s->step[s->steps] = 0; /* the filter's bytes shall not remember it */
    return true;
}

struct window guira__window_of(const struct shape *s, uint64_t what) {
    uint64_t luck = mix(what), start = scale(luck >> 32, s->first), buckets = s->first;
    uint64_t turn = (luck & packed_mask(s->first_reach)) | UINT64_C(1) << (s->first_reach - 1);
    for (uint32_t i = 0; i < s->steps; i++) {
        if (s->step[i] == HALVED) {
            start /= 2;
            buckets = (buckets + 1) / 2;
            continue;
        }
        luck = luck * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        start += buckets * scale(luck >> 32, s->step[i]);
        buckets *= s->step[i];
    }
    return (struct window){start, turn >> (s->first_reach - s->reach)};
}
