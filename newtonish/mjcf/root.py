"""The root of a model: made empty, or read from a file; attached to other models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from newtonish.arguments import checked_methods
from newtonish.mjcf.assets import Asset, load_asset
from newtonish.mjcf.attachment import AttachmentFrame
from newtonish.mjcf.element import Element
from newtonish.mjcf.facts import spec_of
from newtonish.mjcf.language.names import DIRECTORIES, reference
from newtonish.mjcf.namescope import FRAME_SPACE, UNNAMED, NameScope
from newtonish.mjcf.problems import refuse, short
from newtonish.mjcf.values import check_identifier, check_text

__all__ = ["RootElement"]


class RootElement(Element):
    """A model.

    Args:
        model: Its name, which stands in front of its names where it is attached to another model.
        model_dir: Folder that its files are looked for in, by default the working directory.
        assets: Contents of files by path, which are searched before the folder.
    """

    _frame: AttachmentFrame | None
    _frames: list[AttachmentFrame]
    _namescope: NameScope
    _folder: Path
    _resolves: bool
    _assets: dict[str, bytes | str]

    def __init__(self, model: str | None = None, model_dir: str | Path = "", assets: dict[str, bytes | str] | None = None) -> None:
        self._setup("mujoco", "mujoco", None, self)
        self._frame, self._frames, self._resolves = None, [], True
        self._folder, self._assets = Path(model_dir), dict(assets or {})
        self._namescope = NameScope(self)
        for tag in spec_of("mujoco").children:
            self._child(tag)
        if model is not None:
            self.set_attributes(model=model)

    @property
    def _label(self) -> str:
        return f"model '{self._namescope.name}'"

    def _set(self, key: str, value: Any) -> None:
        """Set the name; the name of an attached model is the name of its frame."""
        if isinstance(value, str) and not value:
            value = None
        if value is not None:
            value = check_text(f"{self._label}, model", self.spec.attributes["model"], value)
            check_identifier(f"{self._label}, model", value)
        before = self._namescope.name
        if self._frame is not None:
            scope = self._frame.namescope
            scope.add(FRAME_SPACE, value or UNNAMED, self._frame, self._label)
            if (value or UNNAMED) != before:
                scope.remove(FRAME_SPACE, before)
        if value is None:
            self._values.pop(key, None)
        else:
            self._values[key] = value

    def _unset(self, key: str) -> None:
        self._set(key, None)

    # -- attached models ----------------------------------------------------------------------------------------------

    def attach(self, model: RootElement) -> AttachmentFrame:
        """Attach another model to this one's world and return the frame, which takes a pose, joints and an inertia.

        Names of the attached model get its own name in front, its default classes hold in it alone, and its other
        sections are written behind this model's.

        Raises:
            ModelError: It is attached already, its name is taken, or options of the two disagree.
        """
        return self.worldbody.attach(model)

    def detach(self) -> None:
        """Take this model out of the one it is attached to, along with the frame and its joints."""
        if self._frame is None:
            refuse(f"{self._label}, detach", "a model that is not attached", "an attached model", "attach it first")
        self._frame.remove()

    def resolve_references(self) -> None:
        """Turn names into the elements they name, after a model was read with ``resolve_references=False``."""
        for model in self._whole():
            model._resolves = True
            for element in model._descendants():
                for key in list(element._values):
                    if reference(element._kind, key):
                        element._get(key)

    def include_copy(self, other: RootElement, override_attributes: bool = False) -> None:
        """Copy all that is in another model into this one, which keeps its name. References lead to the copies.

        Args:
            other: A model, which is not changed; models attached to it are left out.
            override_attributes: Take its values where the two differ, and fill elements of the same name that are here already.

        Raises:
            ModelError: The two set an attribute to different values, or a name is taken, and nothing is to be overridden.
        """
        from newtonish.mjcf.copying import include_copy

        include_copy(self, other, override_attributes)

    def _attached(self) -> list[RootElement]:
        """The models attached to this one, in the order they were."""
        return [frame._model for frame in self._frames]

    def _whole(self) -> Iterator[RootElement]:
        """This model and all that are attached to it, at any depth."""
        yield self
        for model in self._attached():
            yield from model._whole()

    # -- files --------------------------------------------------------------------------------------------------------

    def _load(self, element: Element, key: str, name: Any) -> Asset:
        """Return the contents of a file that an element names."""
        where = f"{element._label}, {key}"
        if not isinstance(name, (str, Path)):
            refuse(where, f"{short(name)}, a {type(name).__name__}", "a path, or an mjcf.Asset", "pass one of these")
        path = str(name)
        if self.compiler.strippath == "true":
            path = path.replace("\\", "/").rpartition("/")[2]
        if element._kind == "model":
            from newtonish.mjcf.submodels import load_submodel

            return load_submodel(where, path, self._folder, self._assets)
        return load_asset(where, path, self._folder / self._directory(element), self._assets)

    def _directory(self, element: Element) -> str:
        """The folder of files of an element's kind, as ``compiler`` gives it."""
        settings, name = self.compiler._values, DIRECTORIES.get(element._kind, "")
        return settings.get(name, settings.get("assetdir", "")) if name else ""

    def get_assets(self) -> dict[str, bytes]:
        """Return the contents of all files of this model and those attached to it, by their names in written text."""
        from newtonish.mjcf.writer import gather_assets

        return gather_assets(self)

    def __copy__(self) -> RootElement:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict) -> RootElement:
        from newtonish.mjcf.copying import copy_model

        return copy_model(self)


checked_methods(RootElement)
