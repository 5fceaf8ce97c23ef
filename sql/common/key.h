/* Which bytes stand for a value of SQL, the same in SQLite and PostgreSQL, so that a filter made in one of them can be asked
 * in the other, by the tool and by every program:
 *
 *     texts and blobs   their bytes
 *     integers          their decimal text: 42 is the key "42", as it is in a line that the tool reads
 *     reals             that are an integer of 64 bits: as that integer, because 1 = 1.0 in SQL
 *                       others: 8 bytes, the IEEE 754 double, lowest byte first. Not their text, which depends on the version
 *                       and on settings of the database */
#ifndef GUIRA_SQL_KEY_H
#define GUIRA_SQL_KEY_H

#include <stddef.h>
#include <stdint.h>

enum { KEY_NUMBER_BYTES = 24 }; /* "-9223372036854775808" has 20 */

/* Both write a key to out and return its length. */
size_t key_of_integer(int64_t value, char out[KEY_NUMBER_BYTES]);
size_t key_of_real(double value, char out[KEY_NUMBER_BYTES]);

#endif
