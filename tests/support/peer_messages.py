"""For the plug-ins that run peers' tests: of an error of ours only the class is compared, since each library has words of its own.

A test goes on behind such an error, and so the rest of it counts; an error of anybody else's must have the words that the test asserts.
"""

from __future__ import annotations

import contextlib
import re
import types
import unittest


def compare_classes() -> None:
    """Let ``assertRaisesRegex``, and absl's ``assertRaisesWithLiteralMatch``, take errors of ours whatever their words are."""
    from absl.testing import absltest

    unittest.TestCase.assertRaisesRegex = _assertion(lambda wanted, text: re.search(wanted, text) is not None)
    absltest.TestCase.assertRaisesWithLiteralMatch = _assertion(lambda wanted, text: wanted == text)


def _assertion(fits):
    def assertion(case: unittest.TestCase, expected, wanted, *call, **options):
        if not call:
            return _raises(case, expected, wanted, fits)
        with _raises(case, expected, wanted, fits):
            call[0](*call[1:], **options)
        return None

    return assertion


@contextlib.contextmanager
def _raises(case: unittest.TestCase, expected, wanted, fits):
    from newtonish.errors import NewtonishError

    caught = types.SimpleNamespace(exception=None)
    try:
        yield caught
    except expected as error:
        caught.exception = error
        if not isinstance(error, NewtonishError) and not fits(wanted, str(error)):
            raise case.failureException(f'"{wanted}" does not match "{error}"') from error
    else:
        raise case.failureException(f"{expected} not raised")
