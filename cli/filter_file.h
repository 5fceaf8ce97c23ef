/* Filter files: opened, locked and saved, and what went wrong in words that help.
 *
 * WHO ELSE HAS IT? A command that loads a file, changes the filter and saves it would undo what another one saved
 * meanwhile. So it locks the file as long as it works. Saving puts a new file in the place of the old one, so a lock
 * that was waited for may be one on a file that is gone (then the new one is tried), and has to be taken again on the
 * new file by those who go on. */
#ifndef GUIRA_CLI_FILTER_FILE_H
#define GUIRA_CLI_FILTER_FILE_H

#include <guira.h>
#include <stdbool.h>

/* The kinds' names, in the order of guira_kind, and NULL. */
extern const char *const kind_names[];

/* To look at, without reading it in. Ends the process if the file cannot be had. */
guira *filter_map(const char *path);

/* The same, but NULL if the file is damaged so badly that it cannot be opened. */
guira *filter_map_if_whole(const char *path);

/* The same for a file that may also be the state of a window. One of *f and *w is set, neither if it is damaged. */
void filter_or_window(const char *path, guira **f, guira_window **w);

/* Ends the process if one bit of what was mapped is wrong. */
void filter_check(const guira *f, const char *path);

/* To change. */
guira *filter_load(const char *path);

/* Ends the process if it fails; the old file is as it was then. */
void filter_save(const guira *f, const char *path);

/* The same two for windows. */
guira_window *window_load(const char *path);
void window_save(const guira_window *w, const char *path);

/* Takes the lock on the file at path, which must exist. `wait`: until whoever has it is done; else it is an error. */
void filter_lock(const char *path, bool wait);

/* The same on the new file, after saving. */
void filter_lock_again(const char *path);

/* The path with what is wrong and what to do. Never returns. */
_Noreturn void filter_trouble(const char *path, guira_status s);

bool file_exists(const char *path);

/* Ends the process if no file can be put at path: better before hours of reading than after. */
void must_be_writable(const char *path);

#endif
