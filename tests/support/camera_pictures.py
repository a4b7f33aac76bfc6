"""Pictures of cameras beside mujoco_warp's: where they differ, and pictures a second of processor time, both measured in turns in one run.

python tests/support/camera_pictures.py --worlds 1024 --size 64 --repeats 5
"""

import argparse
import statistics
import time

import mujoco
import mujoco_warp as peer
import numpy as np

from newtonish import mjw
from newtonish.assets import asset_path

EYE = '<worldbody><camera name="eye" pos="3 0 1.5" xyaxes="0 1 0 -.2 0 1"/>'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=1024)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--colors", action="store_true", help="colours too, not depth alone")
    given = parser.parse_args()
    mjm = mujoco.MjModel.from_xml_string(asset_path().read_text().replace("<worldbody>", EYE, 1))
    rng = np.random.default_rng(0)
    qpos = np.tile(mjm.qpos0, (given.worlds, 1))
    qpos[:, 7:] += 0.2 * rng.normal(size=(given.worlds, mjm.nq - 7))
    settings = dict(nworld=given.worlds, cam_res=(given.size, given.size), cam_active=["eye"],
                    render_rgb=given.colors, render_depth=True, render_seg=given.colors)  # fmt: skip
    m, pm = mjw.put_model(mjm), peer.put_model(mjm)
    d, pd = mjw.make_data(m, given.worlds), peer.make_data(mjm, nworld=given.worlds)
    for library, model, data in ((mjw, m, d), (peer, pm, pd)):
        data.qpos.assign(qpos)
        for stage in (library.kinematics, library.com_pos, library.camlight):
            stage(model, data)
    rc = mjw.create_render_context(mjm, **settings)
    pc = peer.create_render_context(mjm, **settings, use_textures=False, enable_specular=False)

    def ours() -> None:
        mjw.render(m, d, rc)

    def theirs() -> None:
        peer.refit_bvh(pm, pd, pc)
        peer.render(pm, pd, pc)

    ours()
    theirs()
    apart = np.abs(rc.depth_data.numpy() - pc.depth_data.numpy()) / np.maximum(pc.depth_data.numpy(), 1.0)
    print(f"pixels whose depth differs by more than a thousandth: {100 * np.mean(apart > 1e-3):.2f} %")
    seconds: dict[str, list[float]] = {"newtonish": [], "mujoco_warp": []}
    for _ in range(given.repeats):
        for name, draw in (("newtonish", ours), ("mujoco_warp", theirs)):
            start = time.process_time()
            draw()
            seconds[name].append(time.process_time() - start)
    for name, taken in seconds.items():
        middle = statistics.median(taken)
        print(
            f"{name}: {given.worlds / middle:.0f} pictures of {given.size} x {given.size} a second of processor time ({min(taken):.3f} to {max(taken):.3f} s a turn)"
        )


if __name__ == "__main__":
    main()
