// What was found, counted by kind, kernel and place in the code.
#pragma once
#include <cstdarg>
#include <cstdio>
#include <dlfcn.h>
#include <map>
#include <string>

#include "lanes.h"

struct Report { u64 count; std::string text; };
inline std::map<std::string, Report> reports;
inline std::string kernel_name;
inline bool checking = true;  // and not only counting

// "module.so+0x123" of an address, which Python turns into names of functions
inline std::string place_of(const void* address) {
    Dl_info info;
    char text[512];
    if (address && dladdr(address, &info) && info.dli_fname) {
        const char* base = strrchr(info.dli_fname, '/');
        snprintf(text, sizeof text, "%s+0x%lx", base ? base + 1 : info.dli_fname, (unsigned long)((char*)address - (char*)info.dli_fbase));
    } else {
        snprintf(text, sizeof text, "%p", address);
    }
    return text;
}

inline void report(const char* kind, const void* place, const char* format, ...) {
    if (!checking) return;
    Report& found = reports[std::string(kind) + " | " + kernel_name + " | " + place_of(place)];
    if (found.count++ > 0) return;
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    found.text = text;
}
