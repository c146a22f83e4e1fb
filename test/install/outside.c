/* outside.c - what an outside project does first: includes everything, links, calls (C and C++ alike). */
#include <rigor/rigor.h>

#include <stdio.h>

int main(void)
{
    printf("rigor %s\n", rg_version());
    return rg_status_text(RG_OK)[0] == 's' ? 0 : 1;
}
