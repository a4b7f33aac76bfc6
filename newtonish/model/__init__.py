"""Descriptions of worlds: the builder, the model made of it, states and controls; knows nothing of MuJoCo."""

from newtonish.verbosity import route_warp

route_warp()
