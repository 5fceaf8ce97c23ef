/* See json_text.h. */
#include "json_text.h"

#include <stddef.h>
#include <stdio.h>

/* The bytes of the character at p, which ends with a NUL at the latest; 0: it is not UTF-8. The second byte has a smaller
 * range behind e0, ed, f0 and f4: overlong forms, surrogates and what is beyond U+10FFFF are not characters. */
static size_t utf8_length(const unsigned char *p) {
    size_t n = *p < 0x80 ? 1 : *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 0;
    unsigned low = *p == 0xe0 ? 0xa0 : *p == 0xf0 ? 0x90 : 0x80, high = *p == 0xed ? 0x9f : *p == 0xf4 ? 0x8f : 0xbf;
    if (n > 1 && (p[1] < low || p[1] > high)) return 0;
    for (size_t i = 2; i < n; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    return n;
}

void json_print_string(const char *text) {
    const unsigned char *p = (const unsigned char *)text;
    putchar('"');
    while (*p != '\0') {
        size_t n = utf8_length(p);
        if (n == 0) printf("\\ufffd");
        else if (*p < ' ' || *p == '"' || *p == '\\') printf("\\u%04x", *p);
        else fwrite(p, 1, n, stdout);
        p += n == 0 ? 1 : n;
    }
    putchar('"');
}
