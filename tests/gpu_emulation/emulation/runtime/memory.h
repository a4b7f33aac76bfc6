// Every access of a kernel to memory, looked at: bounds, races between lanes and between blocks, shared memory that nobody wrote.
//
// Races are found by happens-before, not by luck of the schedule: a word remembers who wrote and who read it last, with their clocks,
// and an access is a race unless the clock of the one who comes later knows of the earlier one (FastTrack: Flanagan and Freund 2009).
#pragma once
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "reports.h"

struct Word {
    u32 write_clock, read_clock;
    u32 write_block, read_block;  // serial numbers of blocks
    u16 write_lane, read_lane;
    u8 write_bytes, read_bytes;  // of the word, a bit each: lanes may write bytes beside each other
    u32 readers;        // index of the clocks of all readers, where several read side by side; 0: only `read_lane`
    u32 several_blocks; // number of the launch of which several blocks read it
    const void* writer; // place in the code
};
struct Page { Word word[1024]; u32 sector_block[128]; };

enum class Kind : u8 { ARRAY, SHARED, IMAGE };  // argument of the launch; `__shared__` of a module; constants of a module
struct Span { u64 begin, end; Kind kind; };

inline std::unordered_map<u64, Page*> pages;
inline u64 last_page_key = ~0ull;
inline Page* last_page;
inline std::vector<Span> spans;  // that a kernel may touch, sorted
inline Span last_span;
inline std::vector<std::vector<u32>> reader_clocks(1);
inline u32 block_serial = 1, first_block_of_launch = 1;  // which is also the number of the launch

struct Traffic { u64 reads, writes, bytes, sectors, requests, request_sectors, shared_accesses; };
inline Traffic traffic;

inline Page* page_of(u64 address) {
    const u64 key = address >> 12;
    if (key == last_page_key) return last_page;
    Page*& page = pages[key];
    if (!page) page = (Page*)calloc(1, sizeof(Page));
    last_page_key = key;
    return last_page = page;
}

// The span that holds all of the bytes, into `last_span`.
inline bool find_span(u64 begin, u64 end) {
    if (begin >= last_span.begin && end <= last_span.end) return true;
    auto after = std::upper_bound(spans.begin(), spans.end(), begin, [](u64 at, const Span& span) { return at < span.begin; });
    if (after == spans.begin()) return false;
    const Span& span = *std::prev(after);
    if (end > span.end) return false;
    last_span = span;
    return true;
}

inline void forget_accesses() {
    for (auto& [key, page] : pages) free(page);
    pages.clear();
    last_page_key = ~0ull;
    reader_clocks.resize(1);
}

// Whether what `lane` did at its time `clock` is known to the lane that runs.
inline bool is_known(u16 lane, u32 clock) { return lane == current || clock <= lanes[current].clock[lane]; }

inline void check_reader(const Word& word, bool shared, const void* place) {
    const char* where = shared ? "shared" : "global";
    if (word.read_block != block_serial) return;
    if (!word.readers) {
        if (!is_known(word.read_lane, word.read_clock)) report("RACE read-write", place, "lane %d read, lane %d writes; %s memory", word.read_lane, current, where);
        return;
    }
    const auto& clocks = reader_clocks[word.readers];
    for (int i = 0; i < lane_count; i++)
        if (clocks[i] && !is_known(i, clocks[i])) {
            report("RACE read-write", place, "lane %d read, lane %d writes; %s memory", i, current, where);
            return;
        }
}

inline void note_read(Word& word, u8 bytes) {
    const u32 now = lanes[current].clock[current];
    if (word.read_block >= first_block_of_launch && word.read_block != block_serial) word.several_blocks = first_block_of_launch;
    const bool first = word.read_block != block_serial;
    if (first || (!word.readers && is_known(word.read_lane, word.read_clock))) {
        word.read_lane = current; word.read_clock = now; word.readers = 0;
    } else {
        if (!word.readers) {
            word.readers = reader_clocks.size();
            reader_clocks.emplace_back(lane_count, 0);
            reader_clocks.back()[word.read_lane] = word.read_clock;
        }
        reader_clocks[word.readers][current] = now;
    }
    word.read_bytes = first ? bytes : word.read_bytes | bytes;
    word.read_block = block_serial;
}

inline void note_write(Word& word, u8 bytes, const void* place) {
    word.write_lane = current; word.write_clock = lanes[current].clock[current];
    word.write_block = block_serial; word.writer = place;
    word.write_bytes = bytes;
    word.readers = 0; word.read_block = 0; word.read_bytes = 0; word.several_blocks = 0;
}

// Not 0: an atomic operation is under way. No lane comes between, and it needs no order with those of others; who reads the word otherwise does.
inline int atomic;

inline void check_word(u64 address, u8 bytes, bool write, bool shared, const void* place) {
    Page* page = page_of(address);
    Word& word = page->word[(address >> 2) & 1023];
    const char* where = shared ? "shared" : "global";
    const bool written = word.write_bytes & bytes, read = word.read_bytes & bytes;
    if (shared) {
        traffic.shared_accesses++;
        if (!write && word.write_block != block_serial) report("UNINITIALISED SHARED", place, "lane %d reads what no lane of its block wrote", current);
    } else {
        if (word.write_block != block_serial && word.read_block != block_serial) traffic.bytes += 4;
        u32& sector = page->sector_block[(address >> 5) & 127];
        if (sector != block_serial) { sector = block_serial; traffic.sectors++; }
        if (!atomic && written && word.write_block >= first_block_of_launch && word.write_block != block_serial)
            report(write ? "BLOCKS write-write" : "BLOCKS write-read", place, "blocks %u and %u of one launch", word.write_block - first_block_of_launch, block_serial - first_block_of_launch);
        if (write && read && (word.several_blocks == first_block_of_launch || (word.read_block >= first_block_of_launch && word.read_block != block_serial)))
            report("BLOCKS read-write", place, "block %u writes what another block of the launch read", block_serial - first_block_of_launch);
    }
    if (!atomic && written && word.write_block == block_serial && !is_known(word.write_lane, word.write_clock))
        report(write ? "RACE write-write" : "RACE write-read", place, "lane %d wrote, lane %d %s; %s memory, written at %s", word.write_lane, current, write ? "writes" : "reads", where, place_of(word.writer).c_str());
    if (write) {
        if (read) check_reader(word, shared, place);
        note_write(word, bytes, place);
    } else {
        if (!atomic) note_read(word, bytes);
    }
}

// Warp requests: what the lanes of a warp do at one place for the k-th time goes to memory together.
inline bool tracing;
inline std::unordered_map<const void*, std::vector<u64>> trace[MOST_LANES];

inline void count_requests() {
    if (!tracing) return;
    static std::vector<u64> sectors;
    for (int base = 0; base < lane_count; base += WARP) {
        const int end = std::min(base + WARP, lane_count);
        std::unordered_map<const void*, size_t> longest;
        for (int i = base; i < end; i++)
            for (auto& [place, list] : trace[i]) longest[place] = std::max(longest[place], list.size());
        for (auto& [place, count] : longest)
            for (size_t k = 0; k < count; k++) {
                sectors.clear();
                for (int i = base; i < end; i++) {
                    auto found = trace[i].find(place);
                    if (found != trace[i].end() && k < found->second.size()) sectors.push_back(found->second[k] >> 5);
                }
                std::sort(sectors.begin(), sectors.end());
                traffic.requests++;
                traffic.request_sectors += std::unique(sectors.begin(), sectors.end()) - sectors.begin();
            }
        for (int i = base; i < end; i++) trace[i].clear();
    }
}

extern u64 arguments_begin, arguments_end;
void maybe_preempt();

inline void access_memory(u64 address, unsigned size, bool write, const void* place) {
    if (address >= stacks_begin && address < stacks_end) return;  // local memory
    if (address >= arguments_begin && address < arguments_end) return;  // the constant bank
    if (address + 64 >= (u64)&emu_thread && address < (u64)&emu_thread + 128) return;
    (write ? traffic.writes : traffic.reads)++;
    if (!atomic) maybe_preempt();
    const u64 end = address + size;
    if (!find_span(address, end) || (write && last_span.kind == Kind::IMAGE)) {
        report("OUT OF BOUNDS", place, "lane %d %s %u bytes at 0x%lx, outside of the arrays of the launch", current, write ? "writes" : "reads", size, (unsigned long)address);
        lanes[current].state = State::ENDED;  // as on a GPU, nothing comes after it
        yield_lane();
    }
    if (!checking || last_span.kind == Kind::IMAGE) return;
    const bool shared = last_span.kind == Kind::SHARED;
    if (tracing && !shared) trace[current][place].push_back(address);
    for (u64 word = address & ~3ull; word < end; word += 4) {
        const u64 first = std::max(address, word) - word, last = std::min(end, word + 4) - word;
        check_word(word, ((1u << last) - 1) & ~((1u << first) - 1), write, shared, place);
    }
}
