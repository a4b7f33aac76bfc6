// A GPU's block on one CPU thread. Modules are Warp's generated CUDA text, compiled by clang as C++ with `cuda_names.h` in front: its accesses
// to memory come in through the interface of the thread sanitizer, its barriers and shuffles through the functions below.
#include "cost.h"
#include "memory.h"

extern "C" { dim3_ emu_thread, emu_block, emu_block_dim, emu_grid_dim; }

alignas(4096) static char arguments[1 << 17];
u64 arguments_begin = (u64)arguments, arguments_end = (u64)arguments + sizeof arguments;

enum Schedule { ASCENDING, DESCENDING, RANDOM, PREEMPTIVE };  // order of the lanes; the last one also switches at random accesses
static Schedule schedule;
static u64 random_state = 88172645463325252ull;
static void (*kernel)(void*);
static void* kernel_arguments;
static bool running;  // a kernel: modules have functions that the host calls

static u64 next_random() {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}
void maybe_preempt() {
    if (schedule == PREEMPTIVE && (next_random() & 63) == 0) yield_lane();
}

#define PLACE __builtin_return_address(0)
#define FRAME __builtin_frame_address(0)

static void wait_at(State state, u32 mask, bool orders, const void* place, void* frame) {
    Lane& lane = lanes[current];
    lane.state = state;
    lane.came = true;
    lane.mask = mask;
    lane.orders = orders;
    lane.place = (void*)place;
    lane.path = call_path(frame);
    yield_lane();
}

// A lane that has no work and ended before its warp met for the first time. Whoever names the whole warp does not wait for it
// (PTX ISA, "bar.warp.sync": for threads that have not exited); one that ends between barriers is a fault all the same.
static bool never_came(int k) { return lanes[k].state == State::ENDED && !lanes[k].came; }

enum ShuffleKind { FROM, XOR, DOWN, UP };

// Lane of the warp whose value the running lane gets; groups of `width` lanes are apart, but for XOR, which reaches earlier groups.
static int source_of_shuffle(ShuffleKind kind, int which, int width) {
    const int lane = current & (WARP - 1), first = lane & ~(width - 1), within = lane - first;
    switch (kind) {
        case FROM: return first + (which & (width - 1));
        case XOR: return (lane ^ which) / width <= lane / width ? lane ^ which : lane;
        case DOWN: return within + which < width ? lane + which : lane;
        default: return within - which >= 0 ? lane - which : lane;
    }
}

extern "C" {
void emu_atomic(int begins) { atomic = begins; }
void emu_syncthreads() { wait_at(State::AT_BLOCK_BARRIER, 0, true, PLACE, FRAME); }
void emu_syncwarp(u32 mask) { wait_at(State::AT_WARP_BARRIER, mask, true, PLACE, FRAME); }

// A shuffle exchanges values and orders no memory.
u64 emu_shuffle(u32 mask, u64 value, int kind, int which, int width) {
    const int source = source_of_shuffle((ShuffleKind)kind, which, width);
    lanes[current].value = value;
    wait_at(State::AT_WARP_BARRIER, mask, false, PLACE, FRAME);
    const int base = current & ~(WARP - 1), from = base + source;
    const bool there = source >= 0 && source < WARP && from < lane_count;
    if (there && !(mask >> source & 1)) report("SHUFFLE from outside the mask", PLACE, "lane %d asks lane %d", current, from);
    if (there && never_came(from)) report("SHUFFLE from a lane that has ended", PLACE, "lane %d asks lane %d", current, from);
    const u64 got = there ? lanes[from].value : value;
    wait_at(State::AT_WARP_BARRIER, mask, false, PLACE, FRAME);  // nobody offers another value before all have taken theirs
    return got;
}

u32 emu_ballot(u32 mask, int predicate) {
    lanes[current].value = predicate != 0;
    wait_at(State::AT_WARP_BARRIER, mask, false, PLACE, FRAME);
    u32 votes = 0;
    const int base = current & ~(WARP - 1);
    for (int i = 0; i < WARP && base + i < lane_count; i++)
        if (mask >> i & 1 && !never_came(base + i) && lanes[base + i].value) votes |= 1u << i;
    wait_at(State::AT_WARP_BARRIER, mask, false, PLACE, FRAME);
    return votes;
}

u32 emu_least(u32 mask, u32 value) {
    lanes[current].value = value;
    wait_at(State::AT_WARP_BARRIER, mask, false, PLACE, FRAME);
    u32 least = value;
    const int base = current & ~(WARP - 1);
    for (int i = 0; i < WARP && base + i < lane_count; i++)
        if (mask >> i & 1 && !never_came(base + i)) least = std::min(least, (u32)lanes[base + i].value);
    wait_at(State::AT_WARP_BARRIER, mask, false, PLACE, FRAME);
    return least;
}

void emu_count(u32 b) {
    if (running && counts[current][b]++ == 0) touched[current].push_back(b);
}

#define ACCESS(bytes) \
    void __tsan_read##bytes(void* p) { access_memory((u64)p, bytes, false, PLACE); } \
    void __tsan_write##bytes(void* p) { access_memory((u64)p, bytes, true, PLACE); } \
    void __tsan_unaligned_read##bytes(void* p) { access_memory((u64)p, bytes, false, PLACE); } \
    void __tsan_unaligned_write##bytes(void* p) { access_memory((u64)p, bytes, true, PLACE); } \
    /* volatile: meant to be read and written in no order */ \
    void __tsan_volatile_read##bytes(void*) {} \
    void __tsan_volatile_write##bytes(void*) {}
ACCESS(1) ACCESS(2) ACCESS(4) ACCESS(8) ACCESS(16)
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void*, void*) {}
void __tsan_vptr_read(void*) {}
void* __tsan_memcpy(void* to, const void* from, size_t n) {
    if (n) { access_memory((u64)from, n, false, PLACE); access_memory((u64)to, n, true, PLACE); }
    return memcpy(to, from, n);
}
void* __tsan_memmove(void* to, const void* from, size_t n) {
    if (n) { access_memory((u64)from, n, false, PLACE); access_memory((u64)to, n, true, PLACE); }
    return memmove(to, from, n);
}
void* __tsan_memset(void* to, int value, size_t n) {
    if (n) access_memory((u64)to, n, true, PLACE);
    return memset(to, value, n);
}
// signed integers that overflow, by the interface of clang's undefined behaviour sanitizer
struct SourceLocation { const char* file; u32 line, column; };
#define OVERFLOW(name) \
    void __ubsan_handle_##name##_overflow(SourceLocation* at, u64, u64) { report("SIGNED OVERFLOW", PLACE, "lane %d, " #name, current); }
OVERFLOW(add) OVERFLOW(sub) OVERFLOW(mul) OVERFLOW(negate) OVERFLOW(divrem)
}

static void enter_lane() {
    kernel(kernel_arguments);
    lanes[current].state = State::ENDED;
    yield_lane();
    abort();
}

// Warp barriers at which all lanes of the mask have arrived; returns whether there was one. Lanes that wait elsewhere, some of them
// with fewer others, will arrive later, unless nothing else goes on: then they ``clash``.
static bool release_warps(bool clash) {
    bool released = false;
    for (int i = 0; i < lane_count; i++) {
        if (lanes[i].state != State::AT_WARP_BARRIER) continue;
        const int base = i & ~(WARP - 1), end = std::min(base + WARP, lane_count);
        const u32 mask = lanes[i].mask;
        auto belongs = [&](int k) { return mask >> (k - base) & 1; };
        if (!belongs(i)) report("WARP BARRIER without the lane itself", lanes[i].place, "lane %d, mask %08x", i, mask);
        bool all = true;
        for (int k = base; k < end; k++) {
            if (!belongs(k) || (mask == ~0u && never_came(k))) continue;
            if (clash && lanes[k].state == State::ENDED) report("WARP BARRIER with lanes that have ended", lanes[i].place, "lane %d waits, lane %d has ended", i, k);
            if (lanes[k].state != State::AT_WARP_BARRIER) all = false;
            else if (lanes[k].path != lanes[i].path || lanes[k].mask != mask) {
                if (clash) report("WARP BARRIER at different places", lanes[i].place, "lanes %d and %d", i, k);
                else all = false;
            }
        }
        if (!all) continue;
        released = true;
        close_groups_of(base + __builtin_ctz(mask), base + WARP - __builtin_clz(mask));
        if (lanes[i].orders) {
            join_clocks(base, end, belongs);
            cost.warp_barriers++;
        } else {
            cost.shuffles++;
        }
        for (int k = base; k < end; k++)
            if (belongs(k) && lanes[k].state == State::AT_WARP_BARRIER) lanes[k].state = State::RUNNING;
    }
    return released;
}

// The barrier of the block; returns false where lanes can never meet.
static bool release_block() {
    int waiting = 0, ended = 0, first = -1;
    for (int i = 0; i < lane_count; i++) {
        if (lanes[i].state == State::ENDED) ended++;
        if (lanes[i].state == State::AT_BLOCK_BARRIER) { waiting++; if (first < 0) first = i; }
    }
    if (waiting + ended < lane_count) {
        int stuck = 0;
        while (lanes[stuck].state != State::AT_WARP_BARRIER) stuck++;
        report("DEADLOCK", lanes[stuck].place, "%d lanes at a barrier of the block, %d at one of their warp, %d have ended", waiting, lane_count - waiting - ended, ended);
        return false;
    }
    if (ended) report("BLOCK BARRIER that lanes left out", lanes[first].place, "%d of %d lanes have ended", ended, lane_count);
    for (int i = 0; i < lane_count; i++) {
        if (lanes[i].state != State::AT_BLOCK_BARRIER) continue;
        if (lanes[i].path != lanes[first].path) report("BLOCK BARRIER at different places", lanes[i].place, "lane %d, and lane %d at %s", i, first, place_of(lanes[first].place).c_str());
        lanes[i].state = State::RUNNING;
    }
    cost.block_barriers++;
    join_clocks(0, lane_count, [](int) { return true; });
    return true;
}

static bool run_block() {
    for (int i = 0; i < lane_count; i++) begin_lane(i, enter_lane);
    for (const Span& span : spans)
        if (span.kind == Kind::SHARED) memset((void*)span.begin, 0xff, span.end - span.begin);  // NaN, and -1
    static int order[MOST_LANES];
    for (;;) {
        int running = 0, ended = 0;
        for (int i = 0; i < lane_count; i++) {
            if (lanes[i].state == State::RUNNING) order[running++] = i;
            ended += lanes[i].state == State::ENDED;
        }
        if (ended == lane_count) return true;
        if (schedule == DESCENDING) std::reverse(order, order + running);
        if (schedule >= RANDOM)
            for (int k = running - 1; k > 0; k--) std::swap(order[k], order[next_random() % (k + 1)]);
        for (int k = 0; k < running; k++) run_lane(order[k]);
        if (running || release_warps(false) || release_warps(true)) continue;
        close_interval();
        count_requests();
        if (!release_block()) return false;
    }
}

extern "C" {
char* emu_arguments() { return arguments; }
// Spans of memory that kernels may touch from now on, sorted and without overlap.
void emu_spans(const u64* begin_end_kind, int count) {
    spans.clear();
    for (int i = 0; i < count; i++, begin_end_kind += 3) spans.push_back({begin_end_kind[0], begin_end_kind[1], (Kind)begin_end_kind[2]});
    last_span = {0, 0, Kind::ARRAY};
}
void emu_weights(const u32* by_block, int count) {
    weights.assign(by_block, by_block + count);
    profile.assign(count, 0);
}
void emu_profile(u64* out) { std::copy(profile.begin(), profile.end(), out); }

// Run blocks of a grid, one after the other. Returns 0 if lanes of one could not meet at a barrier, which ends it.
int emu_launch(const char* name, void (*entry)(void*), void* entry_arguments, const u32* blocks, int count, u32 grid, u32 block_dim, u32 lanes_a_world,
               int order, u64 seed, int check, int count_requests_too) {
    make_stacks();
    kernel_name = name; kernel = entry; kernel_arguments = entry_arguments;
    schedule = (Schedule)order; checking = check; tracing = count_requests_too;
    random_state = seed * 2654435761ull + 88172645463325252ull;
    lane_count = block_dim; lanes_of_world = lanes_a_world;
    emu_block_dim = {block_dim, 1, 1}; emu_grid_dim = {grid, 1, 1};
    first_block_of_launch = ++block_serial;
    begin_counting();
    running = true;
    for (int b = 0; b < count; b++, block_serial++) {
        emu_block = {blocks[b], 0, 0};
        reader_clocks.resize(1);  // of earlier blocks, whose words no longer name them
        cost.blocks++;
        running = run_block();
        if (!running) return 0;
        close_interval();
        count_requests();
    }
    running = false;
    return 1;
}
void emu_take(u64* costs, u64* traffics) {
    memcpy(costs, &cost, sizeof cost);
    memcpy(traffics, &traffic, sizeof traffic);
    cost = Cost{};
    traffic = Traffic{};
}
int emu_reports(char* out, int room) {
    std::string all;
    for (auto& [key, found] : reports) all += key + " | " + std::to_string(found.count) + " | " + found.text + "\n";
    if ((int)all.size() < room) { memcpy(out, all.c_str(), all.size() + 1); reports.clear(); }
    return (int)all.size();
}
void emu_forget() { forget_accesses(); }

float emu_quotient(float a, float b) { return a / b; }

// What stands for libmathdx (`tiles.py`): a lane's work on a whole matrix, of whose triangles the upper or the lower one is read and written.
void emu_factor(float* a, int n, int by_rows, int upper) {
    auto at = [&](int i, int j) -> float& { return (by_rows != upper) ? a[i * n + j] : a[j * n + i]; };  // of the lower triangle, or of its mirror image
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            float sum = at(i, j);
            for (int k = 0; k < j; k++) sum -= at(i, k) * at(j, k);
            at(i, j) = i == j ? __builtin_sqrtf(sum) : sum / at(j, j);
        }
}
void emu_substitute(const float* a, float* b, int n, int sides, int by_rows, int sides_by_rows, int upper, int forward, int backward) {
    auto at = [&](int i, int j) { return (by_rows != upper) ? a[i * n + j] : a[j * n + i]; };
    for (int side = 0; side < sides; side++) {
        auto x = [&](int i) -> float& { return sides_by_rows ? b[i * sides + side] : b[side * n + i]; };
        for (int i = 0; forward && i < n; i++) {
            for (int k = 0; k < i; k++) x(i) -= at(i, k) * x(k);
            x(i) /= at(i, i);
        }
        for (int i = n - 1; backward && i >= 0; i--) {
            for (int k = i + 1; k < n; k++) x(i) -= at(k, i) * x(k);
            x(i) /= at(i, i);
        }
    }
}
// what Warp's header asks of its own compiler's library
void _wp_assert(const char* message, const char*, unsigned) { report("ASSERTION", PLACE, "lane %d: %s", current, message); }
int _wp_isfinite(double x) { return __builtin_isfinite(x); }
int _wp_isnan(double x) { return __builtin_isnan(x); }
int _wp_isinf(double x) { return __builtin_isinf(x); }
}
