"""What is captured on a device that is not there, and replayed: actions in their order, also such as run while a condition holds."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable
from typing import Any

from .arena import Arena

Actions = list[Callable[[], None]]


class Graphs:
    """The functions of Warp's native library that concern graphs, under their names.

    Args:
        arena: The device's memory, which is open while something is done.
        fault: Called with what a graph cannot hold.
    """

    def __init__(self, arena: Arena, fault: Callable[[str], None]):
        self._arena, self._fault = arena, fault
        self._numbers = itertools.count(0x100000, 16)
        self._graphs: dict[int, Actions] = {}
        self._bodies: set[int] = set()  # graphs that run under a condition
        self._number = 0  # of the graph that is captured, 0: none is
        self._capture_id = 0

    @property
    def captures(self) -> bool:
        """Whether a graph is captured."""
        return self._number != 0

    def do(self, action: Callable[[], Any]) -> None:
        """Now, or in each launch of the graph that is captured."""
        if self.captures:
            self._graphs[self._number].append(action)
            return
        with self._arena.open():
            action()

    def note_allocation(self) -> None:
        """While a graph is captured, an array is allocated."""
        if self._number in self._bodies:
            self._fault("ALLOCATION of an array in a part of a graph that runs under a condition, where none can be")

    def _new(self) -> int:
        number = next(self._numbers)
        self._graphs[number] = []
        return number

    def wp_cuda_stream_is_capturing(self, stream: Any) -> int:
        return int(self.captures)

    def wp_cuda_stream_get_capture_id(self, stream: Any) -> int:
        return self._capture_id

    def wp_cuda_graph_begin_capture(self, context: Any, stream: Any, external: int, mode: int) -> bool:
        self._number, self._capture_id = self._new(), self._capture_id + 1
        return True

    def wp_cuda_graph_end_capture(self, context: Any, stream: Any, graph: Any) -> bool:
        graph._obj.value, self._number = self._number, 0
        return True

    def wp_cuda_graph_pause_capture(self, context: Any, stream: Any, graph: Any) -> bool:
        return self.wp_cuda_graph_end_capture(context, stream, graph)

    def wp_cuda_graph_resume_capture(self, context: Any, stream: Any, graph: Any) -> bool:
        self._number, self._capture_id = graph.value, self._capture_id + 1
        return True

    def wp_cuda_graph_create_exec(self, context: Any, stream: Any, graph: Any, executable: Any) -> bool:
        executable._obj.value = graph.value
        return True

    def wp_cuda_graph_launch(self, executable: Any, stream: Any) -> bool:
        actions = self._graphs[executable.value]
        self.do(lambda: _run(actions))
        return True

    def wp_cuda_graph_insert_child_graph(self, context: Any, stream: Any, graph: Any) -> bool:
        return self.wp_cuda_graph_launch(graph, stream)

    def wp_cuda_graph_insert_if_else(self, context: Any, stream: Any, arch: int, ptx: bool, condition: Any, if_true: Any, if_false: Any) -> bool:
        true, false = self._body(if_true), self._body(if_false)
        holds = _condition(condition)
        self.do(lambda: _run(true if holds() else false))
        return True

    def wp_cuda_graph_insert_while(self, context: Any, stream: Any, arch: int, ptx: bool, condition: Any, body: Any, handle: Any) -> bool:
        actions, holds = self._body(body), _condition(condition)

        def repeat() -> None:
            while holds():
                _run(actions)

        self.do(repeat)
        return True

    def wp_cuda_graph_set_condition(self, *_: Any) -> bool:
        return True  # it is read from its array after each turn

    def wp_cuda_graph_check_conditional_body(self, graph: Any) -> bool:
        return True  # what may not be in it is a fault when it is captured

    def _body(self, graph: Any) -> Actions:
        """Actions, none as yet, of a graph that is captured next."""
        if graph is None:
            return []
        graph._obj.value = number = self._new()
        self._bodies.add(number)
        return self._graphs[number]


def _run(actions: Actions) -> None:
    for action in actions:
        action()


def _condition(place: Any) -> Callable[[], bool]:
    """Reads a number of the device's memory."""
    value = ctypes.c_int32.from_address(ctypes.cast(place, ctypes.c_void_p).value or 0)
    return lambda: bool(value.value)
