"""Sorting the int64 keys of one world in place, ascending, by all lanes of its block together.

On a GPU Batcher's network of comparators, in the form in which every one of them puts the smaller key first, so that any
length works (Batcher, Sorting networks and their applications, 1968); on a CPU heapsort (Williams, 1964), which needs no
memory besides. Keys that differ come out in one order, whatever the method.
"""

import warp as wp

NETWORK = """
    for (int k = 2; (k >> 1) < n; k <<= 1) {
        for (int j = k - 1; j > 0; j = (j == k - 1) ? (k >> 2) : (j >> 1)) {
            for (int i = lane; i < n; i += lanes) {
                const int l = i ^ j;
                if (l > i && l < n && a[i] > a[l]) { const long long t = a[i]; a[i] = a[l]; a[l] = t; }
            }
            SYNC();
        }
    }
"""
HEAP = """
    for (int start = n / 2 - 1, end = n; end > 1;) {
        int root = 0;
        if (start >= 0) root = start--;
        else { const long long t = a[--end]; a[end] = a[0]; a[0] = t; }
        const long long moved = a[root];
        for (int child = 2 * root + 1; child < end; child = 2 * root + 1) {
            if (child + 1 < end && a[child + 1] > a[child]) child++;
            if (a[child] <= moved) break;
            a[root] = a[child];
            root = child;
        }
        a[root] = moved;
    }
"""


@wp.func_native(
    f"""
    long long* a = (long long*)keys.data;
#if defined(__CUDA_ARCH__)
    const int lane = LANE, lanes = LANES;
    {NETWORK}
#else
    {HEAP}
#endif
"""
)
def sort_keys(keys: wp.array(dtype=wp.int64), n: int):
    """Sort the first ``n`` keys. All lanes must call it; what they wrote before must be synchronised."""
    ...


@wp.func_native(
    """
    union { float f; int i; } u;
    u.f = x;
    return u.i >= 0 ? u.i : u.i ^ 0x7fffffff;
"""
)
def ordered(x: float) -> int:
    """An integer that compares as the number does; not for NaN."""
    ...
