// What Warp's headers of tiles ask for beyond `cuda_names.h`. Lanes are fibers, so that nothing comes between the parts of an atomic operation,
// whose accesses are volatile: in no order with those of other lanes.
#pragma once
#include "cuda_names.h"
template <typename T, typename V> static __forceinline__ T atomicAdd(T* p, V value) {
    const T old = *(volatile T*)p;
    *(volatile T*)p = old + value;
    return old;
}
static __forceinline__ unsigned __float_as_uint(float value) { return (unsigned)__float_as_int(value); }
static __forceinline__ unsigned __activemask() { return 0xffffffffu; }
static __forceinline__ void __trap() { __builtin_trap(); }
