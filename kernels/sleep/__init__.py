"""Sleep: kinematic trees at rest that are left alone, and what wakes them.

Trees that rows couple fall asleep together, once all of them were slow for ten steps. From then on their coordinates keep their bits, their
velocities and accelerations are zero, and pairs of their geoms, their rows and their sensors are passed over. Poses, inertias and bias
forces of trees asleep are computed like those of others: that is a tenth of a step.
"""
