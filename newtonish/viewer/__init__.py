"""Looking at models: the abstract scene, its drawing, windows, recordings and files of runs."""
