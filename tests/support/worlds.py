"""Models of several worlds, one for each MJCF source."""

import warnings

import newtonish


def model_of(*sources: str, **arguments) -> newtonish.Model:
    """One world for each source, read with these arguments of ``add_mjcf``; warnings are left to other tests."""
    main = newtonish.ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for source in sources:
            world = newtonish.ModelBuilder()
            world.add_mjcf(source, **arguments)
            main.add_world(world)
        return main.finalize(device="cpu")
