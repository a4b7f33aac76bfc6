"""What every layer may import: MuJoCo's enumerations and constants, and frame algebra on the host. Nothing here imports Warp."""
