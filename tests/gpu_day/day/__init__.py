"""A day on a GPU: what it needs is packed ahead, each slice of it ends in time and writes what it has found as it goes."""
