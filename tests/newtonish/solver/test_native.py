"""MuJoCo's own objects and C code beside the solver: ``mj_model``, ``mj_data``, ``use_mujoco_cpu``."""

import importlib.util
import warnings

import mujoco
import numpy as np
import pytest
from building import NWORLD, every_joint, path_of, replicated, shake

import newtonish
from newtonish import ModelFlags, SolverMuJoCo
