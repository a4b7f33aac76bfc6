// Instructions as a warp issues them. Code that counts calls `emu_count` at the head of each basic block with the block's number.
//
// Lanes of a group (those of one world) meet at barriers and shuffles. Between two of them a basic block costs as often as the lane of the
// group that runs it most, so both sides of a divergent branch count. Groups of one warp go their ways side by side: a block costs
// as often as in the group that runs it most.
#pragma once
#include <algorithm>
#include <vector>

#include "lanes.h"

struct Cost { u64 blocks, block_barriers, warp_barriers, shuffles, warp_instructions, lane_instructions, critical; };
inline Cost cost;
inline std::vector<u32> weights;                  // instructions of each basic block of the module that runs
inline std::vector<u64> profile;                  // warp instructions by basic block
inline std::vector<u32> counts[MOST_LANES];       // executions by lane since the group last met
inline std::vector<u32> touched[MOST_LANES];      // basic blocks whose count is not zero
inline std::vector<u32> group_counts[MOST_LANES]; // executions by group since the last barrier of the block
inline std::vector<u32> group_touched[MOST_LANES];
inline int lanes_of_world = WARP;

inline int group_size() { return std::min(lanes_of_world, WARP); }

inline void begin_counting() {
    for (int i = 0; i < lane_count; i++) {
        counts[i].assign(weights.size(), 0);
        group_counts[i].assign(weights.size(), 0);
        touched[i].clear();
        group_touched[i].clear();
    }
}

inline void close_group(int first) {
    if (weights.empty()) return;
    const int last = std::min(first + group_size(), lane_count);
    static std::vector<u32> most, seen;
    most.resize(weights.size());
    seen.clear();
    for (int i = first; i < last; i++) {
        for (u32 b : touched[i]) {
            if (!most[b]) seen.push_back(b);
            most[b] = std::max(most[b], counts[i][b]);
            cost.lane_instructions += (u64)counts[i][b] * weights[b];
            counts[i][b] = 0;
        }
        touched[i].clear();
    }
    for (u32 b : seen) {
        if (!group_counts[first][b]) group_touched[first].push_back(b);
        group_counts[first][b] += most[b];
        most[b] = 0;
    }
}

inline void close_groups_of(int first, int last) {
    for (int g = first - first % group_size(); g < last; g += group_size()) close_group(g);
}

// At a barrier of the block, and at its end.
inline void close_interval() {
    if (weights.empty()) return;
    close_groups_of(0, lane_count);
    u64 longest = 0;
    static std::vector<u32> most, seen;
    most.resize(weights.size());
    for (int base = 0; base < lane_count; base += WARP) {
        seen.clear();
        for (int g = base; g < std::min(base + WARP, lane_count); g += group_size()) {
            for (u32 b : group_touched[g]) {
                if (!most[b]) seen.push_back(b);
                most[b] = std::max(most[b], group_counts[g][b]);
                group_counts[g][b] = 0;
            }
            group_touched[g].clear();
        }
        u64 sum = 0;
        for (u32 b : seen) {
            sum += (u64)most[b] * weights[b];
            profile[b] += (u64)most[b] * weights[b];
            most[b] = 0;
        }
        cost.warp_instructions += sum;
        longest = std::max(longest, sum);
    }
    cost.critical += longest;
}
