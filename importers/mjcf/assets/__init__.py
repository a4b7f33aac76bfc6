"""Assets: meshes, heightfields, materials, textures and skins."""
