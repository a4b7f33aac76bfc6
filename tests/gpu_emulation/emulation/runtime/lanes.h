// The lanes of one block as fibers of one CPU thread: each has a stack, a place where it waits, and a clock of what it knows of the others.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

typedef uint8_t u8; typedef uint16_t u16; typedef uint32_t u32; typedef uint64_t u64;

constexpr int WARP = 32;
constexpr int MOST_LANES = 1024;
constexpr size_t STACK_BYTES = 4 << 20;  // of functions that are not optimised

struct dim3_ { unsigned x, y, z; };
extern "C" { extern dim3_ emu_thread, emu_block, emu_block_dim, emu_grid_dim; }

enum class State : u8 { RUNNING, AT_BLOCK_BARRIER, AT_WARP_BARRIER, ENDED };

struct Lane {
    void* stack_pointer;
    char* stack;
    State state;
    u32 mask;         // lanes of the warp that a warp barrier waits for
    bool orders;      // memory: a barrier does, a shuffle does not
    bool came;        // to a barrier or a shuffle
    u64 path;         // of the calls that led to the barrier: an inlined function at two places is two places
    void* place;      // of the barrier
    u64 value;        // offered to other lanes in a shuffle
    u32 clock[MOST_LANES];  // vector clock: up to which of its barriers the work of another lane is known to be done
};

inline Lane* lanes;
inline int lane_count, current;
inline u64 stacks_begin, stacks_end;

extern "C" void emu_switch(void** from, void* to);
asm(R"(
.text
.globl emu_switch
.type emu_switch,@function
emu_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size emu_switch,.-emu_switch
)");

inline void* scheduler_stack_pointer;

inline void make_stacks() {
    if (lanes) return;
    lanes = (Lane*)calloc(MOST_LANES, sizeof(Lane));
    char* all = (char*)mmap(nullptr, STACK_BYTES * MOST_LANES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) abort();
    stacks_begin = (u64)all;
    stacks_end = stacks_begin + STACK_BYTES * MOST_LANES;
    for (int i = 0; i < MOST_LANES; i++) {
        lanes[i].stack = all + i * STACK_BYTES;
        if (mprotect(lanes[i].stack, 4096, PROT_NONE)) abort();  // a stack that is too small ends the process, not its neighbour's numbers
    }
}

inline void begin_lane(int i, void (*entry)()) {
    Lane& lane = lanes[i];
    u64* top = (u64*)(lane.stack + STACK_BYTES - 64);
    *--top = 0;
    *--top = (u64)entry;
    for (int k = 0; k < 6; k++) *--top = 0;  // registers that a switch restores; rbp = 0 ends walks over frames
    lane.stack_pointer = top;
    lane.state = State::RUNNING;
    lane.came = false;
    memset(lane.clock, 0, sizeof(u32) * lane_count);
    lane.clock[i] = 1;
}

inline void run_lane(int i) {
    current = i;
    emu_thread = {(unsigned)i, 0, 0};
    emu_switch(&scheduler_stack_pointer, lanes[i].stack_pointer);
}

inline void yield_lane() { emu_switch(&lanes[current].stack_pointer, scheduler_stack_pointer); }

// After a barrier of the lanes for which `belongs` holds, each knows all that the others did before it.
template <typename Belongs> inline void join_clocks(int first, int last, Belongs belongs) {
    static u32 known[MOST_LANES];
    memset(known, 0, sizeof(u32) * lane_count);
    for (int i = first; i < last; i++)
        if (belongs(i))
            for (int k = 0; k < lane_count; k++) known[k] = known[k] > lanes[i].clock[k] ? known[k] : lanes[i].clock[k];
    for (int i = first; i < last; i++)
        if (belongs(i)) {
            memcpy(lanes[i].clock, known, sizeof(u32) * lane_count);
            lanes[i].clock[i]++;
        }
}

// Hash of the return addresses from a frame upwards.
inline u64 call_path(void* frame) {
    u64 hash = 1469598103934665603ull;
    void** at = (void**)frame;
    for (int k = 0; k < 32 && (u64)at >= stacks_begin && (u64)at < stacks_end && at[1]; k++) {
        hash = (hash ^ (u64)at[1]) * 1099511628211ull;
        at = (void**)at[0];
    }
    return hash;
}
