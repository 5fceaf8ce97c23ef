/* See key.h. */
#include "common/key.h"

#include <math.h>
#include <string.h>

size_t key_of_integer(int64_t value, char out[KEY_NUMBER_BYTES]) {
    char reversed[KEY_NUMBER_BYTES];
    size_t n = 0, length = 0;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        reversed[n++] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0) out[length++] = '-';
    while (n > 0) out[length++] = reversed[--n];
    return length;
}

size_t key_of_real(double value, char out[KEY_NUMBER_BYTES]) {
    /* -2^63 is an int64_t, 2^63 is not; both are doubles. */
    if (value >= -0x1p63 && value < 0x1p63 && value == trunc(value)) return key_of_integer((int64_t)value, out);
    uint64_t bits = 0x7ff8000000000000; /* one NaN for all 2^53 of them, which are equal in PostgreSQL */
    if (!isnan(value)) memcpy(&bits, &value, sizeof bits);
    for (size_t i = 0; i < sizeof bits; i++) out[i] = (char)(bits >> 8 * i);
    return sizeof bits;
}
