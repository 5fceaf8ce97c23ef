/* guira count: prints each line with the number of its copies in a filter file. */
#include <inttypes.h>
#include <stdio.h>

#include "any_filter.h"
#include "commands.h"
#include "filter_file.h"
#include "line_work.h"
#include "output.h"
#include "progress.h"
#include "report.h"

struct count {
    struct key_options keys;
    bool progress;
    const char *output;
    uint64_t present;
};

/* "3\tline" */
static void print_counts(struct count *c, const struct any_filter *f, const struct batch *b, char end) {
    for (size_t i = 0; i < b->n; i++) {
        char text[32];
        uint64_t n = any_count(f, b->hash[i]);
        output_write(text, (size_t)snprintf(text, sizeof text, "%" PRIu64 "\t", n));
        output_write(b->line[i].data, b->line[i].size);
        output_write(&end, 1);
        c->present += n > 0;
    }
}

static int flush_when_idle(void *context) {
    (void)context;
    output_flush();
    return -1;
}

static void read_and_count(struct count *c, const struct any_filter *f, struct operands files) {
    struct lines in;
    struct batch b;
    struct lines_config config = line_work(&c->keys, files, any_hasher(f), NULL, 1);
    config.idle = flush_when_idle;
    lines_open(&in, &config);
    output_open(c->output, files);
    progress_begin(c->progress);
    while (lines_next(&in, &b)) {
        print_counts(c, f, &b, in.config.end);
        progress_tick(&in);
    }
    output_flush();
    progress_end(&in);
    lines_check(&in);
    lines_close(&in);
}

static int count_run(int argc, char **argv) {
    struct count c = {0};
    struct any_filter f;
    const struct opt table[] = {KEY_OPTIONS(&c.keys), OUTPUT_OPTION(&c.output), PROGRESS_OPTION(&c.progress), OPT_END};
    options_read(&command_count, table, &argc, argv, 1, MAX_OPERANDS);
    key_options_check(&c.keys, false);
    any_open_intact(&f, argv[1]);
    if (any_damage(&f) != NULL) filter_trouble(argv[1], GUIRA_ECORRUPT);
    read_and_count(&c, &f, operands_from(argc, argv, 2));
    any_close(&f);
    return c.present > 0 ? EXIT_YES : EXIT_NO;
}

const struct command command_count = {
    "count", "[options] FILE [INPUT...]", "print each line with the number of its copies in a filter file",
    "A line of output is the number, a tab and the line. 0 is certain; another number can be too high by a false\n"
    "positive, and is never too low. Copies are kept by 'guira build --count-copies'; without it numbers are 0 and 1.\n"
    "Exit status: 0 some line is in the file, 1 none is, 2 error.\n"
    "\n"
    "examples:\n"
    "  guira build --count-copies words.gf book.txt; sort -u book.txt | guira count words.gf | sort -rn | head\n",
    count_run};
