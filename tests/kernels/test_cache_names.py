"""The names under which Warp caches modules depend on their content alone, so that a second process finds what the first one compiled."""

import json
import subprocess
import sys

SCRIPT = """
import json
import warp as wp
from warp._src.context import ModuleBuilder
from cuda_compile import STEP_BUILDS, stage_builds

wp.config.log_level = wp.LOG_WARNING
wp.init()
modules = {build.module.name: build.module for build in (*STEP_BUILDS, *stage_builds())}
before = {name: module.get_module_identifier(block_dim=1) for name, module in modules.items()}
for module in modules.values():  # as compiling does
    ModuleBuilder(module, module.resolve_options(wp.config, block_dim=1) | {"output_arch": None})
for module in modules.values():
    module.mark_modified()
after = {name: module.get_module_identifier(block_dim=1) for name, module in modules.items()}
print(json.dumps([before, after]))
"""


def test_names_are_the_same_before_and_after_code_is_made() -> None:
    """A local variable called like one of Warp's constants (``e``, ``pi``) would count as the constant until the code of its function is made."""
    done = subprocess.run([sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}\n{SCRIPT}"], capture_output=True, text=True, check=True)
    before, after = json.loads(done.stdout.splitlines()[-1])
    assert len(before) > 80
    assert {name: after[name] for name in before if after[name] != before[name]} == {}
