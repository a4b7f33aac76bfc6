"""Groups of device arrays that kernels take as arguments."""
