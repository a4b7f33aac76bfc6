"""Speculative contacts: of geoms so fast that they could pass through each other within a step, before they touch.

Where two geoms do not touch and one moves farther within the step than it is thick, conservative advancement finds when they meet. The points that
touch then become contacts now, whose distance is such that their rows leave just the speed that takes the geoms there by the end
of the step. What lies in between hides them. Method: MuJoCo 4.0's documentation, chapter Computation, section "Speculative contacts"; Mirtich,
Impulse-based Dynamic Simulation of Rigid Body Systems (1996), section 2.3, for conservative advancement.
"""
