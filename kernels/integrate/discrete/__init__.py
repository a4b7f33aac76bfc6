"""Integrator ``discrete``: constraint solver and implicit step in one effective metric."""
