/* Saving and locking of filter files.
 *
 * WHAT IF TWO COMMANDS CHANGE ONE FILE? A command that loads a file, changes the filter and saves it would undo what
 * another command saved meanwhile. So it holds a lock (flock) from loading to the end. Saving replaces the file: the new
 * one is written under a temporary name and locked before it gets its name, so that there is no moment without a lock:
 *
 *     seen.gf.guira-k3XvQz    written, locked, synced
 *     -> seen.gf              by rename, or by link if there must not be a file of that name yet
 *
 * A command that waits for the lock of the old file finds that its name belongs to another file now, and waits for that
 * one. Before saving again it is checked that the file is still the one that is locked: another program, which does not
 * take locks, may have replaced it. */
#ifndef GUIRA_CLI_FILE_SAVE_H
#define GUIRA_CLI_FILE_SAVE_H

#include <guira.h>
#include <guira_window.h>
#include <stdbool.h>

/* What is saved: exactly one is not NULL. */
struct guira_shared;
struct saved_content {
    const guira *filter;
    const guira_window *window;
    const struct guira_shared *shared;
};

/* Saves to a file that must not exist, and keeps it locked. False: there is a file, perhaps since just now. */
bool file_create(const char *path, struct saved_content what);

/* Replaces the file in one step and keeps the lock. On an error the old file is unchanged and the process exits. */
void file_replace(const char *path, struct saved_content what);

/* For commands that make a file, or replace it if `force`. The first exits if that is impossible, before any work is done, and
 * locks the file that is replaced; the second saves. */
void target_check(const char *path, bool force);
void target_save(const char *path, struct saved_content what, bool force);

/* Locks the existing file at path until the process exits. If another process has the lock: waits for it, or exits if
 * `wait` is false. */
void file_lock(const char *path, bool wait);

#endif
