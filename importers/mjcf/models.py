"""Reads a file with its includes and the models that it attaches, and makes the copies that ``replicate`` and ``attach`` ask for."""

from __future__ import annotations

from pathlib import Path

from newtonish.diagnostics import Diagnostics
from newtonish.errors import ImporterError
from newtonish.importers.mjcf.compiler import read_settings
from newtonish.importers.mjcf.defaults import Defaults
from newtonish.importers.mjcf.lengths import AS_WRITTEN, Lengths
from newtonish.importers.mjcf.macros.compose import MAX_ELEMENTS, compose
from newtonish.importers.mjcf.macros.composite import expand_composites
from newtonish.importers.mjcf.macros.copies import Model
from newtonish.importers.mjcf.tally import flatten
from newtonish.mjcf.language.include import Resolver, find_text, merge_includes
from newtonish.mjcf.language.read import Node, check_tree, parse_text

__all__ = ["ModelReader"]

MAX_NESTED = 20
"""Most models inside each other."""


class ModelReader:
    """Reads files.

    Args:
        resolver: Turns (folder, name) into a path or XML text, instead of the file system.
        log: Takes the problems.
        most: Most elements that copies may make in a file.
        lengths: In what measure values are read.
    """

    def __init__(self, resolver: Resolver | None, log: Diagnostics, most: int = MAX_ELEMENTS, lengths: Lengths = AS_WRITTEN) -> None:
        self._resolver = resolver
        self._log = log
        self._most = most
        self._lengths = lengths

    def read(self, text: str, name: str, folder: Path, main: Path | None, above: tuple[object, ...] = ()) -> Model:
        """Return the model of a text.

        Args:
            text: The XML.
            name: What messages call it.
            folder: What its file names are relative to.
            main: Its path, which may not be included.
            above: Files that attach this one.
        """
        root = parse_text(text, name)
        merge_includes(root, folder, main, self._resolver, self._log)
        check_tree(root, self._log)
        # What follows relies on known words; unknown ones are the likelier cause of whatever else would be found.
        self._log.check_words()
        self._log.found += flatten(root, len(self._log.found))
        expand_composites(root, self._log, self._most)
        model = Model(root, read_settings(root, folder, self._log), Defaults(root, self._log, self._lengths))
        here = main.resolve() if main else None
        for section in list(root.sections("asset")):
            for node in section.sections("model"):
                self._child(model, node, folder, (*above, here))
        compose(model, self._log, self._most)
        return model

    def _child(self, model: Model, node: Node, folder: Path, above: tuple[object, ...]) -> None:
        """Read one model asset."""
        file, name = node.values["file"], node.values.get("name", "")
        child = None
        try:
            text, key = find_text(file, folder, self._resolver)
            if key in above or len(above) > MAX_NESTED:
                given = f"'{file}', which is read already" if key in above else f"{len(above)} models inside each other"
                self._log.problem(node.at("file"), f"{node.label}, file", given, f"other files, {MAX_NESTED} levels at most", "attach another model")
            else:
                place = key.parent if isinstance(key, Path) else folder
                child = self.read(text, str(key), place, key if isinstance(key, Path) else None, above)
        except ImporterError as error:
            for entry in error.problems or [str(error)]:
                self._log.failed(node.at("file"), f"{node.label}, file", ImporterError(entry))
        name = name or (child.root.values.get("model", "") if child else "")
        if name in model.children:
            self._log.problem(node.location, node.label, f"the name '{name}' again", "each name once", "rename it")
        model.children[name] = child
