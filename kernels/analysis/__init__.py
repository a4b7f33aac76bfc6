"""What users compute beside a step: Jacobians of points, state vectors, finite differences, diagnostics."""
