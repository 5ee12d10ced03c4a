/* Preloaded into programs of MPICH. Ranks of MPICH poll UCX without a pause, so more ranks than cores wait for each
 * other five times longer than needed. Ranks that find nothing yield to those with work. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void* worker) {
    static unsigned (*progress)(void*);
    static _Thread_local unsigned idle_polls;
    if (!progress) *(void**)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    /* A program that loads MPICH itself does not have UCX among its own libraries. */
    if (!progress) *(void**)&progress = dlsym(dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD), "ucp_worker_progress");
    const unsigned done = progress(worker);
    idle_polls = done ? 0 : idle_polls + 1;
    if (idle_polls > 20) sched_yield();
    return done;
}
