"""Calling recorded kernels one after another on a CPU, for one group of worlds after the other.

A replay by Warp's graphs looks every kernel up by its name and copies its arguments, about a microsecond a launch: as long as the
kernel itself takes for one world of a small model. Here a table holds the entry points with their arguments in place. The worlds
go through a step in groups, so that what one kernel writes is still in the cache when the next one reads it, and a group takes all
steps that are wanted before the next group begins. Threads that run the same plan share its groups out among themselves.

``newtonish/mjw/calls.py`` fills the tables, rows of 64-bit integers:

    plan      next group to take, steps, whether a world wanted more room, groups, worlds of a group, worlds of the last group
    thread    address of plan; address and number of calls, of patches, of counters
    calls     entry point, address of launch bounds, address of arguments, offset of the number of threads in the bounds,
              first extent of the grid a world, threads a unit of it, address of the argument that is the number of worlds, or 0:
              then the grid grows with that number
    patches   address of a word in the arguments, its value for group 0, its increase a group
    counters  address of 32-bit integers for group 0, increase of that address a group, the room there is
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
    const word ncall = thread[2], npatch = thread[4], ncounter = thread[6];
    for (;;) {
        const word group = __atomic_fetch_add(plan, (word)1, __ATOMIC_RELAXED);
        if (group >= plan[3]) break;
        const word worlds = group + 1 == plan[3] ? plan[5] : plan[4];
        const word* patch = (const word*)thread[3];
        for (word i = 0; i < npatch; i++, patch += 3) *(word*)patch[0] = patch[1] + group * patch[2];
        const word* call = calls;
        for (word i = 0; i < ncall; i++, call += 7) {
            if (call[6]) {
                *(int*)call[6] = (int)worlds;
            } else {
                *(unsigned*)call[1] = (unsigned)(call[4] * worlds);
                *(size_t*)(call[1] + call[3]) = (size_t)(call[4] * worlds * call[5]);
            }
        }
        bool full = false;
        for (word step = 0; step < plan[1]; step++) {
            call = calls;
            for (word i = 0; i < ncall; i++, call += 7) ((entry)call[0])((void*)call[1], (void*)call[2]);
            const word* counter = (const word*)thread[5];
            for (word i = 0; i < ncounter; i++, counter += 3) {
                const int* wanted = (const int*)(counter[0] + group * counter[1]);
                for (word k = 0; k < worlds; k++) full |= wanted[k] > counter[2];
            }
        }
        if (full) __atomic_store_n(plan + 2, (word)1, __ATOMIC_RELAXED);
    }
#endif
"""
)
def run_groups(table: wp.uint64): ...


# in a module of its own, which kernels/header.py compiles first
@wp.kernel
def sequence_kernel(table: wp.uint64):
    """Run groups of worlds by the table of one thread, until no group is left."""
    run_groups(table)
