"""Collision detection apart from a solver: shapes in, ``Contacts`` out."""

from __future__ import annotations

from newtonish.collide.pipeline import CollisionPipeline

__all__ = ["CollisionPipeline"]
