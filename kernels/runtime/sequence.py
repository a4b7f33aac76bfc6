"""Calling recorded kernels one after another on a CPU, for one group of worlds after the other.

A replay by Warp's graphs looks every kernel up by its name and copies its arguments, about a microsecond a launch: as long as the
kernel itself takes for one world of a small model. Here a table holds the entry points with their arguments in place. The worlds
go through a step in groups, so that what one kernel writes is still in the cache when the next one reads it, and a group takes all
steps that are wanted before the next group begins. Threads that run the same plan take groups until no world is left; the last groups
are smaller, so that threads end at about the same time (guided self-scheduling: Polychronopoulos and Kuck 1987).

Numbers below 1.2e-38 count as zero meanwhile, on x86: the speeds of what comes to rest get that small, and a processor takes a hundred cycles for
each operation on them.

``newtonish/mjw/calls.py`` fills the tables, rows of 64-bit integers:

    plan      next world, steps, whether a world wanted more room, worlds, most and fewest worlds of a group, and the share of the
              worlds that are left which a group may have: one of so many
    thread    address of plan; address and number of calls, of patches, of counters, of copies, of watches
    calls     entry point, address of launch bounds, address of arguments, offset of the number of threads in the bounds,
              first extent of the grid a world, threads a unit of it, address of the argument that is the number of worlds, or 0:
              then the grid grows with that number
    patches   address of a word in the arguments, its value for world 0, its increase a world
    counters  address of a 32-bit integer of world 0, increase of that address a world, the room there is
    copies    address of the copy of what world 0 has, address of the original, bytes of a world: made before the steps of a group
    watches   address of 32-bit integers, address of what they were when the table was made, how many. Where there are any, the table is that of
              the one thread, begins anew with each call, and does nothing but to say so in the plan if they differ
"""

import warp as wp


@wp.func_native(
    """
#if !defined(__CUDA_ARCH__)
    typedef long long word;
    typedef void (*entry)(void*, void*);
    const word* thread = (const word*)table;
    word* plan = (word*)thread[0];
    const word* calls = (const word*)thread[1];
    const word ncall = thread[2], npatch = thread[4], ncounter = thread[6], ncopy = thread[8], nwatch = thread[10];
    if (nwatch) {
        const word* watch = (const word*)thread[9];
        int changed = 0;
        for (word i = 0; i < nwatch; i++, watch += 3) {
            const int *now = (const int*)watch[0], *then = (const int*)watch[1];
            for (word k = 0; k < watch[2]; k++) changed |= now[k] ^ then[k];
        }
        plan[0] = 0;
        plan[2] = changed ? 2 : 0;
        if (changed) return;
    }
#if defined(__x86_64__)
    const unsigned mode = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(mode | 0x8040);  // flush results, take operands for zero
#endif
    for (;;) {
        word first = __atomic_load_n(plan, __ATOMIC_RELAXED), worlds;
        do {
            const word left = plan[3] - first;
            worlds = left / plan[6];
            if (worlds > plan[4]) worlds = plan[4];
            if (worlds < plan[5]) worlds = plan[5];
            if (worlds > left) worlds = left;
        } while (worlds > 0 && !__atomic_compare_exchange_n(plan, &first, first + worlds, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
        if (worlds <= 0) break;
        const word* patch = (const word*)thread[3];
        for (word i = 0; i < npatch; i++, patch += 3) *(word*)patch[0] = patch[1] + first * patch[2];
        const word* call = calls;
        for (word i = 0; i < ncall; i++, call += 7) {
            if (call[6]) {
                *(int*)call[6] = (int)worlds;
            } else {
                *(unsigned*)call[1] = (unsigned)(call[4] * worlds);
                *(size_t*)(call[1] + call[3]) = (size_t)(call[4] * worlds * call[5]);
            }
        }
        const word* copy = (const word*)thread[7];
        for (word i = 0; i < ncopy; i++, copy += 3) {
            char* to = (char*)(copy[0] + first * copy[2]);
            const char* from = (const char*)(copy[1] + first * copy[2]);
            if (worlds * copy[2] == 4) *(int*)to = *(const int*)from;  // as most of one world are: a call costs more
            else __builtin_memcpy(to, from, (size_t)(worlds * copy[2]));
        }
        bool full = false;
        for (word step = 0; step < plan[1]; step++) {
            call = calls;
            for (word i = 0; i < ncall; i++, call += 7) ((entry)call[0])((void*)call[1], (void*)call[2]);
            const word* counter = (const word*)thread[5];
            for (word i = 0; i < ncounter; i++, counter += 3) {
                const int* wanted = (const int*)(counter[0] + first * counter[1]);
                for (word k = 0; k < worlds; k++) full |= wanted[k] > counter[2];
            }
        }
        if (full) __atomic_store_n(plan + 2, (word)1, __ATOMIC_RELAXED);
    }
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(mode);
#endif
#endif
"""
)
def run_groups(table: wp.uint64): ...


# in a module of its own, which kernels/runtime/header.py compiles first
@wp.kernel
def sequence_kernel(table: wp.uint64):
    """Run groups of worlds by the table of one thread, until no group is left."""
    run_groups(table)
