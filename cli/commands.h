/* All commands of the tool. Each is defined in the file of its name; build, add and remove share one. */
#ifndef GUIRA_CLI_COMMANDS_H
#define GUIRA_CLI_COMMANDS_H

#include "options.h"

extern const struct command command_uniq;
extern const struct command command_build, command_add, command_remove; /* build_add_remove.c */
extern const struct command command_test;
extern const struct command command_count;
extern const struct command command_info;
extern const struct command command_verify;
extern const struct command command_metrics;
extern const struct command command_merge;
extern const struct command command_shrink;
extern const struct command command_pull;
extern const struct command command_push;
extern const struct command command_plan;
extern const struct command command_doctor;
extern const struct command command_demo;

#endif
