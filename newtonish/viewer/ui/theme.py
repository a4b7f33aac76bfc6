"""Colours and distances of everything that is shown over the scene."""

PANEL = (0.09, 0.11, 0.14, 0.86)
HEAD = (0.16, 0.20, 0.26, 0.95)
EDGE = (0.30, 0.36, 0.44, 0.60)
TEXT = (0.90, 0.93, 0.96, 1.0)
FAINT = (0.62, 0.68, 0.75, 1.0)
ACCENT = (0.28, 0.62, 0.95, 1.0)
WARNING = (1.00, 0.74, 0.28, 1.0)
ERROR = (0.62, 0.13, 0.13, 0.95)
BUTTON = (0.21, 0.26, 0.33, 1.0)
BUTTON_ON = (0.17, 0.44, 0.70, 1.0)
TRACK = (0.05, 0.06, 0.08, 0.9)
GRID = (1.0, 1.0, 1.0, 0.10)

SERIES = (
    (0.34, 0.69, 0.98, 1.0), (0.98, 0.62, 0.27, 1.0), (0.48, 0.83, 0.45, 1.0), (0.93, 0.42, 0.48, 1.0),
    (0.73, 0.56, 0.92, 1.0), (0.95, 0.85, 0.40, 1.0), (0.45, 0.85, 0.83, 1.0), (0.90, 0.60, 0.80, 1.0),
)  # fmt: skip
"""Colours of the lines of a plot, in their order."""

MARGIN = 8
ROW = 20
"""Height of a row with a control [pixels]."""
