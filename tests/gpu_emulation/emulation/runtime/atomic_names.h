// Atomic operations, behind all headers of Warp, whose own functions have these names.
#pragma once
#include "cuda_names.h"

// They have their form for a CPU, of several accesses: the emulation is told that these are one.
namespace wp {
template <typename F> static __forceinline__ auto emu_at_once(F operation) {
    emu_atomic(1);
    const auto before = operation();
    emu_atomic(0);
    return before;
}
}
#define EMU_AT_ONCE(name, ...) emu_at_once([&] { return (wp::name)(__VA_ARGS__); })
#define atomic_add(...) EMU_AT_ONCE(atomic_add, __VA_ARGS__)
#define atomic_sub(...) EMU_AT_ONCE(atomic_sub, __VA_ARGS__)
#define atomic_min(...) EMU_AT_ONCE(atomic_min, __VA_ARGS__)
#define atomic_max(...) EMU_AT_ONCE(atomic_max, __VA_ARGS__)
#define atomic_and(...) EMU_AT_ONCE(atomic_and, __VA_ARGS__)
#define atomic_or(...) EMU_AT_ONCE(atomic_or, __VA_ARGS__)
#define atomic_xor(...) EMU_AT_ONCE(atomic_xor, __VA_ARGS__)
#define atomic_cas(...) EMU_AT_ONCE(atomic_cas, __VA_ARGS__)
#define atomic_exch(...) EMU_AT_ONCE(atomic_exch, __VA_ARGS__)
