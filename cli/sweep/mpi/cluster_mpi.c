/* cluster_mpi.c - the module for messages by MPI: rigor_mpich.so, rigor_openmpi.so (sweep/cluster.h).
 *
 * No call waits for a peer. A message to send is copied and given to MPI_Isend; a later call frees the copy when the
 * send is complete. Arrived messages are found by MPI_Improbe, which also gives the size, and received by MPI_Imrecv,
 * since the body of a long message may arrive after its head, or never. Messages are returned in the order in which
 * their heads were found, taking turns between senders: an incomplete message of a dead sender delays only that
 * sender's messages.
 *
 * Behaviour of MPI with a dead process, by experiment (docs/cluster.md): sends to it are accepted, or fail; probes find
 * nothing, or fail for MPI_ANY_SOURCE - then every rank is probed separately. MPICH's launcher sends SIGUSR1 at a death,
 * which must be ignored. UCX, the transport of Debian's MPICH, aborts the receiver of a long message whose sender has
 * died, unless long messages are sent without a rendezvous.
 *
 * Failure cases: in most versions a failing MPI_Init ends the process. A peer that receives nothing counts as dead once
 * PENDING_MAX bytes wait for it. MPI_Finalize waits for all, so it is called only after a barrier that all have
 * reached, and ended after FINALIZE_SECONDS: MPICH 4.0.2 over UCX's TCP mostly hangs in it. */
#define _XOPEN_SOURCE 700
#include "sweep/cluster.h"

#include <limits.h>
#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    PENDING_MAX = 256 << 20, /* bytes that wait for one peer */
    PROBES = 8,              /* calls of MPI_Improbe that UCX needs for a long message */
    SEND_SECONDS = 3,
    BARRIER_SECONDS = 10,
    FINALIZE_SECONDS = 3,
    LEAVE_SECONDS = 2,
    OUTPUT_DELAY_MS = 300
};

/* A message that is being sent or received. */
typedef struct Parcel Parcel;
struct Parcel {
    Parcel *next; /* in the order of posting */
    MPI_Request request;
    int peer;
    int tag;
    size_t size;
    _Alignas(max_align_t) char bytes[]; /* size, and a zero */
};

typedef struct Queue {
    Parcel *first;
    Parcel *last;
} Queue;

typedef struct Peer {
    Queue out, in;
    size_t pending; /* bytes of incomplete sends */
    bool gone;      /* a send has failed */
} Peer;

/* Global, since MPI exists once per process. */
static struct {
    int rank, size;
    Peer *peers;    /* size */
    int turn;       /* peer whose messages are polled first */
    Parcel *handed; /* last message returned by receive */
    bool ask_each;  /* MPI_ANY_SOURCE has failed */
} cluster;

/* NULL: out of memory. */
static Parcel *new_parcel(int peer, int tag, size_t size)
{
    Parcel *parcel = malloc(sizeof *parcel + size + 1);
    if (!parcel)
        return NULL;
    *parcel = (Parcel){.request = MPI_REQUEST_NULL, .peer = peer, .tag = tag, .size = size};
    parcel->bytes[size] = '\0';
    return parcel;
}

static void append(Queue *queue, Parcel *parcel)
{
    if (queue->first)
        queue->last->next = parcel;
    else
        queue->first = parcel;
    queue->last = parcel;
}

typedef enum Fate { UNDER_WAY, DONE, FAILED } Fate;

/* State of the first message of a queue that is not empty. */
static Fate fate_of_first(const Queue *queue)
{
    int done = 0;
    if (MPI_Test(&queue->first->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return FAILED;
    return done ? DONE : UNDER_WAY;
}

static Parcel *take_first(Queue *queue)
{
    Parcel *parcel = queue->first;
    queue->first = parcel->next;
    return parcel;
}

/* --- sending -------------------------------------------------------------------------------------------------- */

/* Frees messages that were sent. A failed send means that the receiver is dead. */
static void sweep_peer(Peer *peer)
{
    while (peer->out.first) {
        Fate fate = fate_of_first(&peer->out);
        if (fate == UNDER_WAY)
            return;
        peer->gone = peer->gone || fate == FAILED;
        Parcel *parcel = take_first(&peer->out);
        peer->pending -= parcel->size;
        free(parcel);
    }
}

static void sweep_all(void)
{
    for (int i = 0; i < cluster.size; i++)
        sweep_peer(&cluster.peers[i]);
}

static bool send_copy(int to, int tag, const void *data, size_t size)
{
    if (to < 0 || to >= cluster.size || size > INT_MAX)
        return false;
    Peer *peer = &cluster.peers[to];
    sweep_peer(peer);
    if (peer->gone || peer->pending + size > PENDING_MAX)
        return false;
    Parcel *parcel = new_parcel(to, tag, size);
    if (!parcel)
        return false;
    if (size > 0)
        memcpy(parcel->bytes, data, size);
    if (MPI_Isend(parcel->bytes, (int)size, MPI_BYTE, to, tag, MPI_COMM_WORLD, &parcel->request) != MPI_SUCCESS) {
        peer->gone = true;
        free(parcel);
        return false;
    }
    peer->pending += size;
    append(&peer->out, parcel);
    return true;
}

/* --- receiving ------------------------------------------------------------------------------------------------ */

/* Whether the head of a message from that source has arrived; if so it is matched to this process. */
static bool probe(int source, MPI_Message *message, MPI_Status *status, bool *failed)
{
    int there = 0;
    *failed = MPI_Improbe(source, MPI_ANY_TAG, MPI_COMM_WORLD, &there, message, status) != MPI_SUCCESS;
    return !*failed && there;
}

/* The same for any source. */
static bool probe_any(MPI_Message *message, MPI_Status *status)
{
    bool failed = false;
    if (!cluster.ask_each && probe(MPI_ANY_SOURCE, message, status, &failed))
        return true;
    cluster.ask_each = cluster.ask_each || failed;
    for (int source = 0; cluster.ask_each && source < cluster.size; source++) {
        if (probe(source, message, status, &failed))
            return true;
    }
    return false;
}

/* Begins to receive the next message whose head has arrived. */
static void begin_receive(void)
{
    MPI_Message message;
    MPI_Status status;
    int size = 0;
    if (!probe_any(&message, &status) || MPI_Get_count(&status, MPI_BYTE, &size) != MPI_SUCCESS || size < 0)
        return;
    Parcel *parcel = new_parcel(status.MPI_SOURCE, status.MPI_TAG, (size_t)size);
    if (!parcel)
        return;
    if (MPI_Imrecv(parcel->bytes, size, MPI_BYTE, &message, &parcel->request) != MPI_SUCCESS) {
        free(parcel);
        return;
    }
    append(&cluster.peers[parcel->peer].in, parcel);
}

/* The first message of a sender, if complete. One that failed is dropped: its sender is dead. */
static Parcel *whole_of(Peer *peer)
{
    while (peer->in.first) {
        Fate fate = fate_of_first(&peer->in);
        if (fate == UNDER_WAY)
            return NULL;
        Parcel *parcel = take_first(&peer->in);
        if (fate == DONE)
            return parcel;
        free(parcel);
    }
    return NULL;
}

/* The next complete message, senders in turn. NULL: none. */
static Parcel *next_whole(void)
{
    for (int i = 0; i < cluster.size; i++) {
        cluster.turn = (cluster.turn + 1) % cluster.size;
        Parcel *parcel = whole_of(&cluster.peers[cluster.turn]);
        if (parcel)
            return parcel;
    }
    return NULL;
}

static bool receive_next(int *from, int *tag, void **data, size_t *size)
{
    sweep_all();
    free(cluster.handed);
    cluster.handed = next_whole();
    for (int k = 0; !cluster.handed && k < PROBES; k++) {
        begin_receive();
        cluster.handed = next_whole();
    }
    if (!cluster.handed)
        return false;
    *from = cluster.handed->peer;
    *tag = cluster.handed->tag;
    *data = cluster.handed->bytes;
    *size = cluster.handed->size;
    return true;
}

/* --- beginning and end ---------------------------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool refuse(const char *what, int code, char *why, size_t room)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
        text[0] = '\0';
    snprintf(why, room, "%s failed: %s", what, text);
    return false;
}

static bool join(int *rank, int *size, char *why, size_t room)
{
    /* Long messages of UCX without a rendezvous, unless the user sets the variable. */
    setenv("UCX_RNDV_THRESH", "inf", 0);
    int code = MPI_Init(NULL, NULL);
    if (code != MPI_SUCCESS)
        return refuse("MPI_Init", code, why, room);
    signal(SIGUSR1, SIG_IGN);
    code = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_rank(MPI_COMM_WORLD, &cluster.rank);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_size(MPI_COMM_WORLD, &cluster.size);
    if (code != MPI_SUCCESS)
        return refuse("MPI_Comm_rank", code, why, room);
    cluster.peers = calloc((size_t)cluster.size, sizeof *cluster.peers);
    if (!cluster.peers) {
        snprintf(why, room, "no memory for %d ranks", cluster.size);
        return false;
    }
    *rank = cluster.rank;
    *size = cluster.size;
    return true;
}

/* Waits for sends to ranks that are not known to be dead. */
static void flush_out(void)
{
    bool waiting = true;
    for (double start = seconds(); waiting && seconds() < start + SEND_SECONDS;) {
        sweep_all();
        waiting = false;
        for (int i = 0; i < cluster.size; i++)
            waiting = waiting || (cluster.peers[i].out.first && !cluster.peers[i].gone);
        if (waiting)
            poll(NULL, 0, 1);
    }
}

/* Whether all ranks reach a barrier within BARRIER_SECONDS. */
static bool all_at_barrier(void)
{
    MPI_Request request;
    if (MPI_Ibarrier(MPI_COMM_WORLD, &request) != MPI_SUCCESS)
        return false;
    for (double start = seconds(); seconds() < start + BARRIER_SECONDS; poll(NULL, 0, 1)) {
        int done = 0;
        if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return false;
        if (done)
            return true;
    }
    return false;
}

static volatile sig_atomic_t last_status;

static void leave_at_once(int signal_number)
{
    (void)signal_number;
    _exit(last_status);
}

static void take_leave(bool all_are_there, int status)
{
    flush_out();
    fflush(NULL);

    /* All ranks are alive: the regular end of MPI, with a timeout for ranks that die or hang after the barrier. */
    if (all_are_there && all_at_barrier()) {
        last_status = status;
        signal(SIGALRM, leave_at_once);
        alarm(FINALIZE_SECONDS);
        MPI_Finalize();
        alarm(0);
        return;
    }

    /* Some rank is dead. A process that exits without MPI_Finalize may end the others, so rank 0, which has the results,
       ends the job, and the others wait for that. */
    if (cluster.rank == 0) {
        poll(NULL, 0, OUTPUT_DELAY_MS); /* the launcher forwards the output */
        MPI_Abort(MPI_COMM_WORLD, status);
    }
    pid_t launcher = getppid();
    for (double start = seconds(); seconds() < start + LEAVE_SECONDS && getppid() == launcher;)
        poll(NULL, 0, 10);
}

/* --- the module ----------------------------------------------------------------------------------------------- */

static char library_name[MPI_MAX_LIBRARY_VERSION_STRING] = "MPI";

static const RgClusterApi api = {
    .version = RG_CLUSTER_VERSION,
    .name = library_name,
    .begin = join,
    .send = send_copy,
    .receive = receive_next,
    .end = take_leave,
};

__attribute__((visibility("default"))) RgClusterFn rg_cluster_api;

/* The name is the beginning of the library's version text: "MPICH Version: 4.0.2 ...", "Open MPI v4.1.4, package
   ...". */
const RgClusterApi *rg_cluster_api(void)
{
    static const char needless[] = " Version:\t";
    int length = 0;
    if (MPI_Get_library_version(library_name, &length) != MPI_SUCCESS)
        return NULL;
    library_name[strcspn(library_name, ",\n")] = '\0';
    char *place = strstr(library_name, needless);
    if (place) {
        *place = ' ';
        memmove(place + 1, place + strlen(needless), strlen(place + strlen(needless)) + 1);
    }
    return &api;
}
