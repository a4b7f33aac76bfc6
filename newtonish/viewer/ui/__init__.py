"""What a window shows over the scene: panels, plots, bars, sliders and texts, as coloured triangles in numpy arrays. No OpenGL."""
