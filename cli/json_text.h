/* Strings in JSON that is printed. */
#ifndef GUIRA_CLI_JSON_TEXT_H
#define GUIRA_CLI_JSON_TEXT_H

/* Prints any bytes as a string of JSON, in quotes. Bytes that are not UTF-8 are printed as U+FFFD: JSON cannot have them. */
void json_print_string(const char *text);

#endif
