"""What a file has written out before it is read: ``replicate``, ``attach`` and ``composite``."""
