"""Signed distance fields: those of plugins, of primitive shapes and of meshes, and where two of them meet."""
