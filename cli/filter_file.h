/* Filter files: opening, locking and saving, with error messages that say what to do. Unless noted, every function
 * exits the process on an error.
 *
 * WHAT IF TWO COMMANDS CHANGE ONE FILE? A command that loads a file, changes the filter and saves it would undo what
 * another command saved meanwhile. So it holds a lock (flock) from loading to saving. Saving replaces the file, which
 * has two consequences: after waiting for a lock, the locked file may be the replaced one, so the new one is locked
 * instead; and a command that continues after saving has to lock the new file. */
#ifndef GUIRA_CLI_FILTER_FILE_H
#define GUIRA_CLI_FILTER_FILE_H

#include <guira.h>
#include <guira_window.h>
#include <stdbool.h>

/* The names of the kinds, in the order of guira_kind, then NULL. */
extern const char *const kind_names[];

/* Maps a file read-only. Its checksums are not verified, see filter_check. */
guira *filter_map(const char *path);

/* The same, but returns NULL if the file is too damaged to be opened. */
guira *filter_map_if_intact(const char *path);

/* The same for a file that can also be the state of a window. Sets one of *f and *w, or none if the file is damaged. */
void filter_or_window(const char *path, guira **f, guira_window **w);

/* Verifies all checksums and invariants of a mapped filter. */
void filter_check(const guira *f, const char *path);

/* Loads a file into memory, where it can be changed. */
guira *filter_load(const char *path);

/* Replaces the file in one step. On an error the old file is unchanged. */
void filter_save(const guira *f, const char *path);

/* The same two for windows. */
guira_window *window_load(const char *path);
void window_save(const guira_window *w, const char *path);

/* Locks the existing file at path. If another process has the lock: waits for it, or exits if `wait` is false. */
void filter_lock(const char *path, bool wait);

/* Moves the lock to the new file after saving. */
void filter_lock_again(const char *path);

/* Exits with the path, the error and what to do about it. */
_Noreturn void filter_trouble(const char *path, guira_status s);

bool file_exists(const char *path);

/* Exits if there is something else than a file at path: a directory or a device. */
void must_be_regular(const char *path);

/* Exits if no file can be created at path: better before hours of reading than after. */
void must_be_writable(const char *path);

#endif
