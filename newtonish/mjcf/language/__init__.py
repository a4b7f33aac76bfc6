"""What MJCF text is, apart from what it means: words, types of values, names, and text as a tree of nodes."""
