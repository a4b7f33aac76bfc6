"""The kernels of a step: each calls stage functions one after the other on one world.

A world's arrays stay in the cache between stages, and a step costs a handful of launches instead of dozens. One file is
one Warp module, so that they compile side by side and an integrator that is not used is not compiled.

Each kernel goes through worlds: on a CPU one thread takes all that it is given, on a GPU a block takes one.
"""
