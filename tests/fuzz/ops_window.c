/* Operations on windows, compared with the time at which the window of each key began.
 *
 *     now - begun    0 ............ T .................. T + T/16 ......
 *                    seen             either             not seen            false positives: none among these keys */
#include "ops.h"
#include "window/window.h"

static struct {
    guira_window *w;
    uint64_t now, length;
    uint64_t begun[KEYS]; /* if known */
    bool known[KEYS], slides;
} state;

/* -------------------------------------------------------------------------------------------------------------- asking */

static bool must_be_seen(unsigned key, uint64_t now) {
    return state.known[key] && now - state.begun[key] <= state.length;
}

static bool may_be_seen(unsigned key, uint64_t now) {
    if (must_be_seen(key, now)) return true;
    return state.known[key] && now - state.begun[key] - state.length < state.length / 16 + (state.length % 16 != 0);
}

static void check_answer(unsigned key, uint64_t now, bool seen) {
    CHECK(seen || !must_be_seen(key, now));
    CHECK(!seen || may_be_seen(key, now));
}

static void ask(unsigned key, uint64_t now) {
    bool seen;
    CHECK(guira_window_contains_hash(state.w, hash_of(key), now, &seen) == GUIRA_OK);
    check_answer(key, now, seen);
}

static void check_all(void) {
    const char *reason = NULL;
    if (guira_window_validate(state.w, &reason) != GUIRA_OK) fprintf(stderr, "invalid: %s\n", reason);
    CHECK(reason == NULL && guira_window_now(state.w) == state.now);
    for (unsigned i = 0; i < KEYS; i++)
        if (state.known[i]) ask(i, state.now);
}

/* ------------------------------------------------------------------------------------------------------------ changing */

static void note(unsigned key, guira_status s, bool seen) {
    CHECK(s == GUIRA_OK || (!seen && (s == GUIRA_ENOMEM || s == GUIRA_EFULL)));
    check_answer(key, state.now, seen);
    if (s != GUIRA_OK || (seen && !state.slides)) return;
    state.known[key] = true;
    state.begun[key] = state.now;
}

static void see(unsigned key) {
    bool seen = true;
    guira_status s = guira_window_seen_hash(state.w, hash_of(key), state.now, &seen);
    note(key, s, seen);
}

/* Without failing allocations, because the status does not say which key failed. */
static void see_many(unsigned argument) {
    enum { MANY = 16 };
    uint64_t hash[MANY];
    bool seen[MANY];
    fail_in = 0;
    for (unsigned i = 0; i < MANY; i++) hash[i] = hash_of((argument + i) % KEYS);
    CHECK(guira_window_seen_hash_many(state.w, hash, MANY, state.now, seen) == GUIRA_OK);
    for (unsigned i = 0; i < MANY; i++) note((argument + i) % KEYS, GUIRA_OK, seen[i]);
}

/* Advances the time, up to the largest number. */
static void pass(uint64_t time) { state.now = time > UINT64_MAX - state.now ? UINT64_MAX : state.now + time; }

static void replace_by(guira_status s, guira_window *w) {
    CHECK(s == (w != NULL ? GUIRA_OK : GUIRA_ENOMEM));
    if (w == NULL) return;
    CHECK(digest(&w->filter->head) == digest(&state.w->filter->head));
    guira_window_destroy(state.w);
    state.w = w;
}

static void copy(void) {
    guira_window *w;
    guira_status s = guira_window_clone(state.w, &w);
    replace_by(s, w);
}

static void save_and_load(void) {
    guira_window *w;
    struct image i = window_image(state.w);
    guira_status s = guira_window_load_from(i.at, i.n, &w);
    free(i.at);
    replace_by(s, w);
}

static void clear(void) {
    uint64_t before = digest(&state.w->filter->head);
    if (guira_window_clear(state.w) == GUIRA_OK) memset(state.known, 0, sizeof state.known);
    else CHECK(digest(&state.w->filter->head) == before);
}

/* Lookups at later times and calls at earlier times must change nothing. */
static void check_no_change(unsigned argument) {
    uint64_t before = digest(&state.w->filter->head), then = state.now;
    bool seen;
    pass(argument * (state.length / 4096 + 1));
    for (unsigned i = 0; i < 8; i++) ask((argument + i) % KEYS, state.now);
    state.now = then;
    if (then > 0) CHECK(guira_window_seen_hash(state.w, 1, then - 1, &seen) == GUIRA_EINVAL);
    if (then > 0) CHECK(guira_window_tick(state.w, then - 1) == GUIRA_EINVAL);
    CHECK(digest(&state.w->filter->head) == before);
}

static void tick(uint64_t time) {
    pass(time);
    CHECK(guira_window_tick(state.w, state.now) == GUIRA_OK);
}

/* ------------------------------------------------------------------------------------------------------------------ fuzz */

static void perform(uint8_t operation, unsigned argument) {
    unsigned key = argument % KEYS;
    uint64_t part = argument / KEYS, T = state.length; /* part: 0 to 63 */
    switch (operation) {
    case 0:
    case 1: see(key); break;
    case 2:
    case 3:
        pass(part * (T / 256 + 1));
        see(key);
        break;
    case 4:
        for (unsigned i = 0; i < run_of(argument); i++) see((argument + i * 7) % KEYS);
        break;
    case 5: see_many(argument); break;
    case 6:
        for (unsigned i = 0; i < 64; i++) {
            pass(T / 512 + (i % 16 < part % 16));
            see((key + i) % KEYS);
        }
        break;
    case 7: tick(part * (T / 64 + 1)); break;
    case 8: tick(part * (T / 4 + 1)); break;
    case 9: tick(argument % 16 == 0 ? UINT64_C(1) << part : T + T / 16); break;
    case 10: copy(); break;
    case 11: save_and_load(); break;
    case 12:
        if (argument % 8 == 0) clear();
        break;
    case 13: check_no_change(argument); break;
    default: check_all(); break;
    }
    CHECK(guira_window_now(state.w) <= state.now);
}

static void begin(unsigned sort, uint8_t geometry, uint8_t loads) {
    const uint64_t lengths[] = {1, 2, 15, 16, 17, 600, 100000, UINT64_C(1) << 62};
    (void)sort;
    memset(&state, 0, sizeof state);
    state.length = lengths[geometry % 8];
    state.slides = loads % 2 != 0;
    guira_window_config c = {.length = state.length, .slides = state.slides, .capacity = geometry / 8, .seed = {1}};
    CHECK(guira__window_create_isa(isa_named(loads / 2 % 2 ? "portable" : isa_list()[0]), &c, &state.w) == GUIRA_OK);
}

static void end(void) {
    tick(0);
    check_all();
    guira_window_destroy(state.w);
}

const struct sort sort_window = {begin, perform, end};
