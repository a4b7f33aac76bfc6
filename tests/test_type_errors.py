"""The count of type errors may fall and never rise: how it is kept, without running mypy, which ``.ci/run`` does once."""

import json

from type_errors import LIMITS, count, lower, package_of, risen

OUTPUT = """newtonish/model/bodies.py:1: error: one  [misc]
newtonish/model/bodies.py:1: note: no error
newtonish/model/shapes.py:7: error: two  [misc]
newtonish/interop.py:33: error: three  [union-attr]
Found 3 errors in 3 files (checked 400 source files)"""


def test_errors_are_counted_by_package():
    assert count(OUTPUT) == {"model": 2, "interop": 1}
    assert package_of("newtonish/model/bodies.py:1: note: no error") is None


def test_a_package_with_more_errors_fails_whatever_others_have_less():
    limits = {"model": 1, "viewer": 9}
    assert risen(count(OUTPUT), limits) == {"interop": 1, "model": 1}
    assert risen({"model": 1}, limits) == {}


def test_limits_only_fall():
    assert lower({"model": 5, "interop": 1}, {"model": 2, "viewer": 9}) == {"model": 2}


def test_limits_name_no_kernels():
    limits = json.loads(LIMITS.read_text())
    assert "kernels" not in limits and all(number > 0 for number in limits.values())
