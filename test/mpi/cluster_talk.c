/* cluster_talk.c - what the command does with a cluster (cli/sweep/cluster.h), alone: test/mpi/test_cluster.py starts it
 * under mpirun.
 *
 *     cluster_talk ring               every rank sends 60 messages of 0 to 1 MB to every rank, itself too; all must
 *                                     arrive whole, as often and in the order they were sent in
 *     cluster_talk lose RANK REST BYTES HOW [SECONDS]   all talk with rank 0 in messages of BYTES; RANK falls silent in the midst: kills
 *                                     itself (HOW: kill), stops (stop), or is killed by others (wait); rank 0 and REST
 *                                     others must go on, for SECONDS, and come to their end, with exit code 0
 *     cluster_talk time               what begin, messages and waiting cost
 *
 * Every process forks a child first, as the command does with its workers, and finds it alive and well at the end.
 * Prints a line per finding; exit code 1: something was not as it should be. */
#define _GNU_SOURCE
#include "sweep/cluster.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGES = 60, LONGEST = 1 << 20, TAG_DATA = 7, TAG_PING = 1, TAG_PONG = 2, TAG_LAST = 3, WORKER_STATUS = 42 };

typedef struct Talk {
    const RgClusterApi *api;
    RgClusterPlace at;
    double start;
    pid_t worker;
    int pipe_to; /* the worker */
} Talk;

static double clock_now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void)
{
    return clock_now(CLOCK_MONOTONIC);
}

/* One line in one write, so that the lines of the ranks do not mix. */
__attribute__((format(printf, 2, 3))) static void say(const Talk *talk, const char *format, ...)
{
    char line[500];
    int used = snprintf(line, sizeof line, "rank %d: ", talk->at.rank);
    va_list arguments;
    va_start(arguments, format);
    used += vsnprintf(line + used, sizeof line - (size_t)used - 1, format, arguments);
    va_end(arguments);
    line[used++] = '\n';
    if (write(STDOUT_FILENO, line, (size_t)used) != used)
        _exit(1);
}

/* A worker: waits until its pipe is closed, through all signals that may come, and ends with a number of its own. */
static pid_t fork_worker(int *pipe_to)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    pid_t worker = fork();
    if (worker == 0) {
        char byte;
        close(ends[1]);
        _exit(read(ends[0], &byte, 1) == 0 ? WORKER_STATUS : 1);
    }
    close(ends[0]);
    *pipe_to = ends[1];
    return worker;
}

/* Whether the worker is still there and ends as it should. */
static bool end_worker(pid_t worker, int pipe_to)
{
    int ended = 0;
    bool alive = waitpid(worker, &ended, WNOHANG) == 0;
    close(pipe_to);
    return alive && waitpid(worker, &ended, 0) == worker && WIFEXITED(ended) && WEXITSTATUS(ended) == WORKER_STATUS;
}

/* Leaves the cluster; the exit code. */
static int leave(const Talk *talk, bool all_are_there, bool good)
{
    if (!end_worker(talk->worker, talk->pipe_to)) {
        say(talk, "the worker did not end well");
        good = false;
    }
    talk->api->end(all_are_there, good ? 0 : 1);
    return good ? 0 : 1;
}

/* --- ring ----------------------------------------------------------------------------------------------------- */

/* Sizes of all magnitudes: none, the longest, and what comes. */
static size_t size_of(int from, int to, int k)
{
    static const size_t some[] = {0, LONGEST, 1, 1000, 65536, 100000};
    if (k < 6)
        return some[k];
    uint32_t mixed = (uint32_t)(from * 7919 + to * 104729 + k) * 2654435761u;
    return mixed >> (15 + mixed % 17);
}

static unsigned char byte_of(int from, int to, int k, size_t i)
{
    return (unsigned char)((i * 31 + (size_t)k * 7 + (size_t)from * 3 + (size_t)to) % 251);
}

static bool send_all(const Talk *talk, int to)
{
    unsigned char *bytes = malloc(LONGEST);
    bool sent = bytes != NULL;
    for (int k = 0; sent && k < MESSAGES; k++) {
        size_t size = size_of(talk->at.rank, to, k);
        for (size_t i = 0; i < size; i++)
            bytes[i] = byte_of(talk->at.rank, to, k, i);
        sent = talk->api->send(to, TAG_DATA + k, bytes, size);
        memset(bytes, 0xee, size);
    }
    free(bytes);
    return sent;
}

/* Whether it is message k of its sender, whole, with a zero behind it. */
static bool is_message(const Talk *talk, int from, int k, const unsigned char *bytes, size_t size)
{
    if (size != size_of(from, talk->at.rank, k) || bytes[size] != 0)
        return false;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != byte_of(from, talk->at.rank, k, i))
            return false;
    }
    return true;
}

/* Messages of all ranks, until all are here; 20 s suffice on any machine. */
static int hear_all(const Talk *talk)
{
    int *heard = calloc((size_t)talk->at.size, sizeof *heard), good = 0;
    while (heard && good < MESSAGES * talk->at.size && now() < talk->start + 20) {
        int from, tag;
        void *bytes;
        size_t size;
        if (!talk->api->receive(&from, &tag, &bytes, &size)) {
            poll(NULL, 0, 1);
            continue;
        }
        int k = heard[from]++;
        if (tag != TAG_DATA + k || !is_message(talk, from, k, bytes, size)) {
            say(talk, "message %d of rank %d is wrong: tag %d, %zu bytes", k, from, tag, size);
            break;
        }
        good++;
    }
    free(heard);
    return good;
}

static int ring(Talk *talk)
{
    bool sent = true;
    for (int to = 0; to < talk->at.size; to++)
        sent = sent && send_all(talk, to);
    bool refused = !talk->api->send(talk->at.size, TAG_DATA, "", 0) && !talk->api->send(-1, TAG_DATA, "", 0);
    int good = hear_all(talk);
    say(talk, "%d of %d messages whole and in order", good, MESSAGES * talk->at.size);
    return leave(talk, true, sent && refused && good == MESSAGES * talk->at.size);
}

/* --- lose ----------------------------------------------------------------------------------------------------- */

typedef struct Loss {
    int victim;
    int rest;     /* others that must go on */
    size_t bytes; /* of a message */
    int how;      /* signal; 0: from outside */
    double on;    /* seconds to go on for */
} Loss;

/* A worker: a message to rank 0 every 5 ms, until it says that it is the last. */
static int lose_worker(Talk *talk, const Loss *loss)
{
    char *bytes = calloc(1, loss->bytes + 1);
    int from, tag = 0;
    void *data;
    size_t size;
    while (bytes && tag != TAG_LAST && now() < talk->start + 30 + loss->on) {
        if (loss->how != 0 && talk->at.rank == loss->victim && now() > talk->start + 0.3)
            kill(getpid(), loss->how);
        talk->api->send(0, TAG_PING, bytes, loss->bytes);
        poll(NULL, 0, 5);
        while (tag != TAG_LAST && talk->api->receive(&from, &tag, &data, &size)) {
        }
    }
    free(bytes);
    say(talk, tag == TAG_LAST ? "told of the end" : "left alone");
    return leave(talk, false, tag == TAG_LAST);
}

/* Answers whatever has come. */
static void answer(const Talk *talk, double *last_heard, int *since_loss)
{
    int from, tag;
    void *data;
    size_t size;
    while (talk->api->receive(&from, &tag, &data, &size)) {
        last_heard[from] = now();
        since_loss[from]++;
        talk->api->send(from, TAG_PONG, data, size);
    }
}

/* Ranks but the victim that were heard often since it fell silent; everybody counts anew while it speaks. */
static int count_rest(const Talk *talk, const Loss *loss, const double *last_heard, int *since_loss)
{
    int rest = 0;
    for (int r = 1; r < talk->at.size; r++)
        rest += r != loss->victim && since_loss[r] >= 20;
    if (now() < last_heard[loss->victim] + 0.5)
        memset(since_loss, 0, (size_t)talk->at.size * sizeof *since_loss);
    return rest;
}

/* Rank 0: goes on until the victim has been silent and the rest has been heard since. */
static int lose_first(Talk *talk, const Loss *loss)
{
    double *last_heard = calloc((size_t)talk->at.size, sizeof *last_heard);
    int *since_loss = calloc((size_t)talk->at.size, sizeof *since_loss), rest = 0;
    for (int r = 0; r < talk->at.size; r++)
        last_heard[r] = now();
    while ((rest < loss->rest || now() < last_heard[loss->victim] + loss->on) && now() < talk->start + 20 + loss->on) {
        poll(NULL, 0, 1);
        answer(talk, last_heard, since_loss);
        rest = count_rest(talk, loss, last_heard, since_loss);
    }
    for (int r = 1; r < talk->at.size; r++) {
        if (since_loss[r] > 0)
            talk->api->send(r, TAG_LAST, "", 0);
    }
    say(talk, "went on with %d others after the loss of rank %d", rest, loss->victim);
    free(last_heard);
    free(since_loss);
    return leave(talk, false, rest >= loss->rest);
}

/* --- time ----------------------------------------------------------------------------------------------------- */

/* Mean seconds there and back between ranks 0 and 1, looking every `wait` ms (0: at once). */
static double there_and_back(const Talk *talk, size_t bytes, int wait, int times)
{
    char *out = calloc(1, bytes + 1);
    double start = now();
    for (int done = 0; out && done < times;) {
        int from, tag;
        void *data;
        size_t size;
        if (talk->at.rank == 0)
            talk->api->send(1, TAG_PING, out, bytes);
        while (!talk->api->receive(&from, &tag, &data, &size)) {
            if (wait > 0)
                poll(NULL, 0, wait);
        }
        if (talk->at.rank == 1)
            talk->api->send(0, TAG_PONG, data, size);
        done++;
    }
    free(out);
    return (now() - start) / times;
}

/* Messages of 1 kB that rank 0 takes in a second, looking every ms, from rank 1, which sends all at once. */
static double flood(const Talk *talk)
{
    enum { FLOOD = 20000, BYTES = 1000 };
    char bytes[BYTES] = {0};
    double start = now();
    for (int k = 0; k < FLOOD && talk->at.rank == 1; k++)
        talk->api->send(0, TAG_PING, bytes, BYTES);
    int taken = 0, from, tag;
    void *data;
    size_t size;
    for (; talk->at.rank == 0 && taken < FLOOD && now() < start + 20; poll(NULL, 0, 1)) {
        while (talk->api->receive(&from, &tag, &data, &size))
            taken++;
    }
    return taken / (now() - start);
}

static int take_times(Talk *talk)
{
    static const size_t sizes[] = {100, 1000, 10000, 100000, 1000000};
    for (int i = 0; i < 5 && talk->at.rank < 2; i++) {
        double polled = there_and_back(talk, sizes[i], 1, 100), spun = there_and_back(talk, sizes[i], 0, 200);
        if (talk->at.rank == 0)
            say(talk, "%7zu bytes one way: %7.1f us looking every ms, %7.1f us looking always", sizes[i], 5e5 * polled,
                5e5 * spun);
    }
    double rate = flood(talk);
    if (talk->at.rank == 0)
        say(talk, "%.0f messages of 1 kB a second", rate);

    /* Idle: nothing comes for three seconds. */
    double cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID), start = now();
    int from, tag, looks = 0;
    void *data;
    size_t size;
    for (; now() < start + 3; looks++) {
        poll(NULL, 0, 1);
        talk->api->receive(&from, &tag, &data, &size);
    }
    cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    say(talk, "idle: %.2f %% of a core, %.1f us a look", 100 * cpu / (now() - start), 1e6 * cpu / looks);
    start = now();
    int status = leave(talk, true, true);
    say(talk, "end took %.3f s", now() - start);
    return status;
}

/* -------------------------------------------------------------------------------------------------------------- */

static int run(Talk *talk, int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "ring") == 0)
        return ring(talk);
    if (argc == 2 && strcmp(argv[1], "time") == 0)
        return take_times(talk);
    if (argc < 6 || argc > 7 || strcmp(argv[1], "lose") != 0)
        return 2;
    Loss loss = {.victim = atoi(argv[2]),
                 .rest = atoi(argv[3]),
                 .bytes = (size_t)atoi(argv[4]),
                 .on = argc > 6 ? atof(argv[6]) : 0};
    if (strcmp(argv[5], "wait") != 0)
        loss.how = strcmp(argv[5], "stop") == 0 ? SIGSTOP : SIGKILL;
    return talk->at.rank == 0 ? lose_first(talk, &loss) : lose_worker(talk, &loss);
}

int main(int argc, char **argv)
{
    RgPool pool = {0};
    const char *why = NULL;
    char text[500] = "no launcher";
    int pipe_to = -1;
    Talk talk = {.start = now(), .api = rg_cluster_open(&pool, &why)};
    talk.worker = talk.api ? fork_worker(&pipe_to) : -1;
    talk.pipe_to = pipe_to;
    if (!talk.api || !rg_cluster_begin(talk.api, &talk.at, text, sizeof text)) {
        fprintf(stderr, "no cluster: %s\n", why ? why : text);
        return 3;
    }
    say(&talk, "of %d by %s after %.3f s", talk.at.size, talk.api->name, now() - talk.start);
    talk.start = now();
    int status = run(&talk, argc, argv);
    rg_pool_free(&pool);
    return status;
}
