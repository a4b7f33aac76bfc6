"""Chains of dofs from the root to a body, which two bodies share at their beginning."""

import warp as wp

from newtonish.kernels.structs.model import Tree


@wp.func
def common_dofs(tree: Tree, body1: int, body2: int) -> int:
    """Number of dofs at the beginning of both bodies' chains that are the same."""
    adr1 = tree.chain_adr[body1]
    adr2 = tree.chain_adr[body2]
    longest = wp.min(tree.chain_adr[body1 + 1] - adr1, tree.chain_adr[body2 + 1] - adr2)
    common = wp.int32(0)
    while common < longest:
        if tree.chain_dofid[adr1 + common] != tree.chain_dofid[adr2 + common]:
            break
        common += 1
    return common
