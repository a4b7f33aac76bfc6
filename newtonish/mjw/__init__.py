"""The array-level interface: MuJoCo's arrays with the world axis first, under mujoco_warp's names."""

from newtonish.mjw.data import get_data_into, make_data, put_data, reset_data, reset_data_keyframe
from newtonish.mjw.put_model import put_model

__all__ = ["get_data_into", "make_data", "put_data", "put_model", "reset_data", "reset_data_keyframe"]
