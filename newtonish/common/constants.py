"""MuJoCo's limits of its arithmetic, in one place for the host and for kernels."""

MINVAL = 1e-15
"""Smallest denominator: what is smaller counts as zero (mjMINVAL)."""

KINEMATIC_ARMATURE = 1e10
"""Armature of dofs that nothing moves but the caller [kg or kg m^2], as Newton's solver gives them."""

IMMOVABLE = 0.1 * KINEMATIC_ARMATURE
"""Inertia from which on a dof counts as held: what is left to solve for does not scale with it."""

MAXVAL = 1e10
"""Largest number in a state or an input: beyond it a world has gone wrong (mjMAXVAL)."""

SPRING_IMPEDANCE = 0.001
"""Impedance of constraints under SPRING: in motion they answer with 1 - impedance of their gains, which so hold to a thousandth for each that acts on one mass."""
