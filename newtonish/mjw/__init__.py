"""TEMPORARY while the stages land."""

from newtonish.kernels.structs.container import Data, Model
from newtonish.mjw.data import get_data_into, make_data, put_data, reset_data, reset_data_keyframe
from newtonish.mjw.put_model import put_model

__all__ = ["Data", "Model", "get_data_into", "make_data", "put_data", "put_model", "reset_data", "reset_data_keyframe"]
