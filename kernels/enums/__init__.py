"""MuJoCo's enumerations, which every layer shares."""

from newtonish.common.enums import *  # noqa: F403
