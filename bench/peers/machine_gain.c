/*
 * machine_gain.c - the ceiling for any program with threads.
 *
 * Independent chains of multiplications and additions, enough of them to keep all units of a processor busy, first by
 * one thread, then by all at once, each with chains of its own. Two processors that are threads of one core share its
 * units: they gain little here, however they are counted.
 */
#include "machine_gain.h"

#include <pthread.h>
#include <time.h>

#define CHAINS 16
#define ROUNDS 20000000L
#define TRIALS 5
#define MOST 64

typedef struct Chains {
    double x[CHAINS];
    char apart[64];
} Chains;

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *work(void *context)
{
    Chains *c = context;
    double x[CHAINS];
    for (int i = 0; i < CHAINS; i++)
        x[i] = 1.0 + i;
    for (long k = 0; k < ROUNDS; k++)
        for (int i = 0; i < CHAINS; i++)
            x[i] = x[i] * 0.999999 + 0.1;
    for (int i = 0; i < CHAINS; i++)
        c->x[i] = x[i];
    return NULL;
}

static double together(int threads)
{
    static Chains chains[MOST];
    pthread_t thread[MOST];
    int made = 1;
    double start = now();
    while (made < threads && pthread_create(&thread[made], NULL, work, &chains[made]) == 0)
        made++;
    work(&chains[0]);
    for (int i = 1; i < made; i++)
        pthread_join(thread[i], NULL);
    return (now() - start) / made;
}

double machine_gain(int threads)
{
    double gain[TRIALS];
    threads = threads > MOST ? MOST : threads;
    for (int i = 0; i < TRIALS; i++) {
        double x = together(1) / together(threads);
        int at = i;
        for (; at > 0 && gain[at - 1] > x; at--)
            gain[at] = gain[at - 1];
        gain[at] = x;
    }
    return gain[TRIALS / 2];
}
