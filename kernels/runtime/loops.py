"""Loops over ranges that a CPU's compiler sees through.

Warp writes ``for i in range(n)`` as a struct of four integers that a function returns. On x86-64 such a struct comes back in two
registers, two integers in each, and LLVM's first pass keeps it so before the function is inlined: the number of the turn is then half of a
64-bit word through the whole loop, is shifted out of it and back in each turn, and no later pass knows where the loop ends or that it
goes by ones. A struct of more than 16 bytes is returned in memory, of which that pass keeps its hands off, and nothing of it is left
once the function is inlined (docs/decisions/115.md).
"""

CPU_LOOPS = """
namespace wp {
struct loop_t {
    int i, end, step, beyond_two_registers[2];
};
inline loop_t loop(int start, int end, int step) {
    loop_t r;
    r.i = start;
    r.end = end;
    r.step = step;
    return r;
}
inline loop_t loop(int start, int end) { return loop(start, end, 1); }
inline loop_t loop(int end) { return loop(0, end, 1); }
inline bool iter_cmp(const loop_t& r) { return r.step > 0 ? r.i < r.end : r.step < 0 && r.i > r.end; }
inline int iter_next(loop_t& r) {
    const int i = r.i;
    r.i += r.step;
    return i;
}
}
#define range_t loop_t
#define range(...) loop(__VA_ARGS__)
"""
"""C++ that stands behind Warp's header; ``range`` is only replaced where it is called, so that members of structs keep that name."""
