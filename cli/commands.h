/* All commands, one file for each or for a few that belong together. */
#ifndef GUIRA_CLI_COMMANDS_H
#define GUIRA_CLI_COMMANDS_H

#include "options.h"

extern const struct command command_uniq;
extern const struct command command_build, command_add, command_remove; /* change.c */
extern const struct command command_test;
extern const struct command command_info, command_verify, command_metrics; /* look.c */
extern const struct command command_merge, command_shrink;                 /* reshape.c */
extern const struct command command_plan;
extern const struct command command_doctor;
extern const struct command command_demo;

#endif
