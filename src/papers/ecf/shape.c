/* The arithmetic of an ECF's changing size: see ecf.h. */
#include "papers/ecf/ecf.h"

static uint64_t scale(uint64_t half_hash, uint64_t n) { return half_hash * n >> 32; }

static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 29)) * UINT64_C(0xd1342543de82ef95);
    return x ^ (x >> 32);
}

struct ecf_shape guira__ecf_shape(uint64_t buckets) {
    uint32_t range = 63U - (uint32_t)__builtin_clzll(buckets);
    return (struct ecf_shape){.first = buckets, .buckets = buckets, .first_range = range, .range = range};
}

static bool step(struct ecf_shape *s, uint64_t buckets, unsigned kind) {
    s->buckets = buckets;
    s->step[s->steps++] = (uint8_t)kind;
    return true;
}

/* There are 2^bits - 1 ranges of 2^n buckets, and an extension spreads the same ones over more buckets. */
bool guira__ecf_shape_extend(struct ecf_shape *s, unsigned factor, unsigned bits) {
    uint64_t buckets = s->buckets * factor;
    if (s->steps == MAX_STEPS || buckets > PAPERS_MAX_BUCKETS) return false;
    if (buckets >> s->range > packed_mask(bits) / RANGES_NEEDED) return false;
    return step(s, buckets, factor);
}

bool guira__ecf_shape_halve(struct ecf_shape *s, unsigned min_range) {
    if (s->steps == MAX_STEPS || s->range <= min_range) return false;
    s->range--;
    return step(s, (s->buckets + 1) / 2, HALVED);
}

bool guira__ecf_shape_fold(struct ecf_shape *s) {
    if (s->steps == 0 || s->step[s->steps - 1] == HALVED) return false;
    s->steps--;
    s->buckets /= s->step[s->steps];
    s->step[s->steps] = 0; /* unused steps are 0 in files */
    return true;
}

bool guira__ecf_shape_replay(struct ecf_shape *s, const guira_config *c, uint64_t first, uint64_t steps,
                             const uint8_t *step) {
    if (first < 2 || first > PAPERS_MAX_BUCKETS || steps > MAX_STEPS) return false;
    *s = guira__ecf_shape(first);
    for (uint64_t i = 0; i < steps; i++) {
        if (step[i] < HALVED || step[i] > MAX_FACTOR) return false;
        if (step[i] == HALVED ? !guira__ecf_shape_halve(s, LAST_RANGE)
                              : !guira__ecf_shape_extend(s, step[i], c->slot_bits))
            return false;
    }
    return memcmp(s->step, step, MAX_STEPS) == 0; /* zeros after the last */
}

struct ecf_range guira__ecf_range(const struct ecf_shape *s, uint64_t what) {
    uint64_t rng = mix(what), start = scale(rng >> 32, s->first), buckets = s->first;
    uint64_t flip = (rng & packed_mask(s->first_range)) | UINT64_C(1) << (s->first_range - 1);
    for (uint32_t i = 0; i < s->steps; i++) {
        if (s->step[i] == HALVED) {
            start /= 2;
            buckets = (buckets + 1) / 2;
            continue;
        }
        rng = rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        start += buckets * scale(rng >> 32, s->step[i]);
        buckets *= s->step[i];
    }
    return (struct ecf_range){start, flip >> (s->first_range - s->range)};
}
