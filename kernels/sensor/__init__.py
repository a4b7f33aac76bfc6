"""Sensors: what each reads from the state and the results of a step."""
