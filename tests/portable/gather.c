/* Exits with 1 if the emulator it runs under forgets the index of a gather that is in ymm4, as QEMU 7.2 does. In an ordinary
 * address the number 4 means "no index"; in the address of a gather it means register 4. */

#include <stdint.h>

int main(void) {
    static const uint64_t table[4] = {10, 11, 12, 13}, index[4] = {3, 2, 1, 0};
    uint64_t got[4];
    __asm__ volatile("vmovdqu %1, %%ymm4\n\t"
                     "vpcmpeqd %%ymm5, %%ymm5, %%ymm5\n\t" /* all lanes */
                     "vpgatherqq %%ymm5, (%2,%%ymm4,8), %%ymm6\n\t"
                     "vmovdqu %%ymm6, %0\n\t"
                     "vzeroupper"
                     : "=m"(got)
                     : "m"(index), "r"(table), "m"(table)
                     : "xmm4", "xmm5", "xmm6");
    for (unsigned i = 0; i < 4; i++)
        if (got[i] != table[index[i]]) return 1;
    return 0;
}
