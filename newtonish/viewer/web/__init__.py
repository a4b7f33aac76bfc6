"""The window in a browser: a scene in batches, the page's panels, and the viewer that serves them."""
