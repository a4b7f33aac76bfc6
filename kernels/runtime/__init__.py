"""Machinery beneath the physics: launching, lanes, compiling modules side by side, functions of the user's, overflow bits."""
