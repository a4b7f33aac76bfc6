"""Packing: everything that a machine without internet needs, in parts that are small enough to be carried over one by one."""
