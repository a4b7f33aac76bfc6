"""The CUDA form of Warp kernels, executed on a CPU: real blocks, barriers, shared memory and shuffles, every access checked.

Warp writes a module's CUDA text without a GPU. Here clang compiles that text as C++, lanes of a block run as fibers, and
``runtime/`` watches what they do. ``Emulator`` launches kernels so; ``stepping`` takes whole steps by it, beside the CPU's own form;
``meter`` counts instructions. What it cannot see: faults of NVIDIA's compilers and approximate intrinsics, launches and captures, time.
"""
