/* The main function of every experiment. */
#include "lab.h"

int main(int argc, char **argv) {
    struct lab lab = lab_open(argc, argv);
    experiment(&lab);
    return lab_close(&lab);
}
