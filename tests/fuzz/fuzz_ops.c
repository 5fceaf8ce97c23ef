/* Arbitrary sequences of operations on a filter of any kind, a window or a shared filter: see ops.h. */
#include "ops.h"

unsigned fail_in;

static void *failing_alloc(size_t size) {
    if (fail_in > 0 && --fail_in == 0) return NULL;
    return malloc(size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static const guira_allocator allocator = {failing_alloc, free};
    static const struct sort *const sorts[] = {&sort_filter, &sort_filter, &sort_filter,
                                               &sort_filter, &sort_filter, &sort_window,
#ifdef GUIRA_TEST_SHARED
                                               &sort_shared
#else
                                               NULL
#endif
    };
    if (n < 2) return 0;
    unsigned sort = data[1] / 16 % (sizeof sorts / sizeof sorts[0]);
    if (sorts[sort] == NULL) return 0;
    guira_set_allocator(&allocator);
    fail_in = 0;
    sorts[sort]->begin(sort, data[0], data[1] % 16);
    if (n > 2 + 3 * MOST_OPERATIONS) n = 2 + 3 * MOST_OPERATIONS;
    for (size_t i = 2; n - i >= 3; i += 3) {
        bool fails = data[i] % 16 == 15; /* an allocation of the next operation fails */
        if (fails) fail_in = data[i + 1] % 64 + 1;
        else sorts[sort]->perform(data[i] % 16, data[i + 1] | (unsigned)data[i + 2] << 8);
        if (!fails) fail_in = 0;
    }
    sorts[sort]->end();
    guira_set_allocator(NULL);
    return 0;
}
