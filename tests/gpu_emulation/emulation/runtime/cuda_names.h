// CUDA's names for a module that a C++ compiler compiles. Stands behind Warp's header, which is thereby in its form for a CPU.
#pragma once
struct emu_dim3 { unsigned x, y, z; };
extern "C" {
extern emu_dim3 emu_thread, emu_block, emu_block_dim, emu_grid_dim;
#define EMU_CONVERGENT __attribute__((convergent))  // no barrier is moved to where fewer lanes come by
EMU_CONVERGENT void emu_syncthreads();
EMU_CONVERGENT void emu_syncwarp(unsigned mask);
EMU_CONVERGENT unsigned long emu_shuffle(unsigned mask, unsigned long value, int kind, int which, int width);
EMU_CONVERGENT unsigned emu_ballot(unsigned mask, int predicate);
EMU_CONVERGENT unsigned emu_least(unsigned mask, unsigned value);
void emu_atomic(int begins);
}
#define __CUDA_ARCH__ 900
#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __shared__ static __attribute__((section("emu_shared"), used))
#define threadIdx emu_thread
#define blockIdx emu_block
#define blockDim emu_block_dim
#define gridDim emu_grid_dim
// one access to memory each, as on a GPU; Warp's header has structures of these names
typedef float emu_float2 __attribute__((ext_vector_type(2)));
typedef float emu_float4 __attribute__((ext_vector_type(4)));
#define float2 emu_float2
#define float4 emu_float4

// The address of a barrier's call tells barriers apart, so these stay calls.
#define __syncthreads() emu_syncthreads()
static inline __attribute__((always_inline)) void __syncwarp(unsigned mask = 0xffffffffu) { emu_syncwarp(mask); }

// Which lane a shuffle takes its value from is worked out by the emulation, so that a shuffle counts as one instruction.
template <typename T> static __forceinline__ T emu_shuffled(unsigned mask, T value, int kind, int which, int width) {
    static_assert(sizeof(T) <= 8, "shuffles carry eight bytes at most");
    unsigned long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    bits = emu_shuffle(mask, bits, kind, which, width);
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
#define EMU_SHUFFLE(name, kind) \
    template <typename T> static __forceinline__ T name(unsigned mask, T value, int which, int width = 32) { \
        return emu_shuffled(mask, value, kind, which, width); \
    }
EMU_SHUFFLE(__shfl_sync, 0)
EMU_SHUFFLE(__shfl_xor_sync, 1)
EMU_SHUFFLE(__shfl_down_sync, 2)
EMU_SHUFFLE(__shfl_up_sync, 3)
static __forceinline__ unsigned __ballot_sync(unsigned mask, int predicate) { return emu_ballot(mask, predicate); }
static __forceinline__ unsigned __reduce_min_sync(unsigned mask, unsigned value) { return emu_least(mask, value); }
static __forceinline__ int __any_sync(unsigned mask, int predicate) { return emu_ballot(mask, predicate) != 0; }
static __forceinline__ int __all_sync(unsigned mask, int predicate) { return emu_ballot(mask, predicate) == mask; }
static __forceinline__ int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
static __forceinline__ int __ffs(int x) { return __builtin_ffs(x); }
static __forceinline__ int __popc(unsigned x) { return __builtin_popcount(x); }
static __forceinline__ int __clz(int x) { return x ? __builtin_clz(x) : 32; }
static __forceinline__ float fminf(float a, float b) { return __builtin_fminf(a, b); }
static __forceinline__ float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
// rounded as told, never fused
#define EMU_ROUNDED(name, parameters, value) \
    static __forceinline__ float name parameters { \
        _Pragma("clang fp contract(off)") return value; \
    }
EMU_ROUNDED(__fmul_rn, (float a, float b), a * b)
EMU_ROUNDED(__fadd_rn, (float a, float b), a + b)
EMU_ROUNDED(__fsub_rn, (float a, float b), a - b)
EMU_ROUNDED(__fdiv_rn, (float a, float b), a / b)
EMU_ROUNDED(__frcp_rn, (float a), 1.0f / a)
EMU_ROUNDED(__fsqrt_rn, (float a), __builtin_sqrtf(a))
EMU_ROUNDED(__fmaf_rn, (float a, float b, float c), __builtin_fmaf(a, b, c))
extern "C" float emu_quotient(float a, float b);  // approximate on a GPU; a call, so that it counts as little as there
static __forceinline__ float __fdividef(float a, float b) { return emu_quotient(a, b); }
template <typename T> static __forceinline__ T __ldg(const T* p) { return *p; }
