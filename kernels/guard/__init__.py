"""What is kept of worlds for the case that they go wrong: the state before, and a record of the last steps."""
