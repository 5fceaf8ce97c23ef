/* Filter files: opening them, with error messages that say what to do. Unless noted, every function exits the process on
 * an error. Saving and locking are in file_save.h. */
#ifndef GUIRA_CLI_FILTER_FILE_H
#define GUIRA_CLI_FILTER_FILE_H

#include <guira.h>
#include <guira_window.h>
#include <stdbool.h>

/* The names of the kinds, in the order of guira_kind, then NULL. */
extern const char *const kind_names[];

/* Maps a file read-only. Its checksums are not verified. */
guira *filter_map(const char *path);

/* Loads a file into memory, where it can be changed. */
guira *filter_load(const char *path);

/* The same for windows. */
guira_window *window_load(const char *path);

/* Prints the path, the error and what to do about it. The second one exits then. */
void filter_note(const char *path, guira_status s);
_Noreturn void filter_trouble(const char *path, guira_status s);

/* Reads the start of a file; config may be NULL. False: it is not a guira file. Does not exit. */
bool file_info_read(const char *path, guira_file *out, guira_config *config);

/* Do both names lead to one file? */
bool is_same_file(const char *a, const char *b);

bool file_exists(const char *path);

/* False: there is something else than a file at path, a directory or a device. The second one exits then. */
bool is_regular(const char *path);
void must_be_regular(const char *path);

/* The directory of a path. The caller frees it. */
char *directory_of(const char *path);

/* What a symbolic link leads to, or the path itself if it is none. A file is replaced there, so that the link stays one. Exits if the
 * link leads nowhere. The caller frees the result. */
char *link_target(const char *path);

/* Exits if no file can be created or replaced at path: better before hours of reading than after. */
void must_be_writable(const char *path);

#endif
