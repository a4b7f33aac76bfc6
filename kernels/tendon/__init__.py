"""Tendons: lengths, Jacobians and velocities."""
