"""What ``put_model`` works out from a compiled model, because the kernels need it and MuJoCo's own fields do not say it."""
