"""Large models: sparse rows of the Jacobian, islands of kinematic trees, and the solvers that work on them."""
