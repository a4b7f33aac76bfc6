"""Sums over constraint rows of which each depends on its own Jaref = J qacc - aref alone, as native code.

With z = D * Jaref, the force of such a row is -clamp(z, low, high): equality rows have no bounds, friction rows
(-frictionloss, frictionloss), limits, frictionless and pyramidal contacts (-inf, 0). The cost is the convex function
whose derivative by Jaref is the negative force. Rows of elliptic cones are not handled here: ``nflat`` is the number
of rows before them. Method: MuJoCo's documentation, chapter Computation, "Constraint model".

Arrays are padded to a multiple of 8 and D is zero in the padding. All arrays have a world axis in front; ``w`` picks
the world and ``slot`` the part of the scratch arrays Jaref and Jv (see ``scratch_slot``). Sums are this lane's share;
add the shares of all lanes by ``sum_lanes``.
"""

import warp as wp

from newtonish.kernels.linalg.dense import VECTOR_TYPES

_POINTERS = """
    const float* X = (const float*)((const char*)Jaref.data + (size_t)FRESH(slot) * Jaref.strides[0]);
    const float* d = (const float*)((const char*)D.data + (size_t)FRESH(w) * D.strides[0]);
    const float* loss = (const float*)((const char*)frictionloss.data + (size_t)FRESH(w) * frictionloss.strides[0]);
    const float infinite = 3.0e38f;
"""

# one row (CUDA) and eight rows (CPU): bounds of row r
_BOUNDS = """
        const float high = r < ne ? infinite : loss[r];
        const float low = r >= ne && loss[r] > 0.0f ? -loss[r] : -infinite;
"""
_BOUNDS8 = """
        const i8 index = iota + r;
        const f8 bound = *(const f8*)(loss + r);
        const i8 equality = index < ne;
        const f8 high = equality ? all : bound;
        const f8 low = ((bound > 0.0f) & ~equality) ? -bound : -all;
        const f8 weight = index < nflat ? *(const f8*)(d + r) : f8{};
"""
_NUMBERS = """
    const i8 iota = {0, 1, 2, 3, 4, 5, 6, 7};
    const f8 all = f8{} + 3.0e38f;
"""
_SUM8 = "((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]))"


@wp.func_native(
    VECTOR_TYPES
    + _POINTERS
    + """
#if defined(__CUDA_ARCH__)
    float sum = 0.0f;
    for (int r = FRESH(LANE); r < nflat; r += LANES) {"""
    + _BOUNDS
    + """
        const float z = d[r] * X[r];
        const float g = fminf(fmaxf(z, low), high);
        sum += z == g ? 0.5f * z * X[r] : g * X[r] - 0.5f * g * g / fmaxf(d[r], 1e-15f);
    }
    return sum;
#else
    const auto add = [](const float* X, const float* d, const float* loss, int ne, int nflat) OUTLINED {"""
    + _NUMBERS
    + """
        f8 sums = {};
        for (int r = 0; r < nflat; r += 8) {"""
    + _BOUNDS8
    + """
            const f8 x = *(const f8*)(X + r);
            const f8 z = weight * x;
            const f8 g = __builtin_elementwise_min(__builtin_elementwise_max(z, low), high);
            const f8 safe = weight > 0.0f ? weight : f8{} + 1.0f;
            sums += z == g ? 0.5f * z * x : g * x - 0.5f * g * g / safe;
        }
        return """
    + _SUM8
    + """;
    };
    return add(X, d, loss, ne, nflat);
#endif
"""
)
def partial_cost(
    Jaref: wp.array2d(dtype=float),
    D: wp.array2d(dtype=float),
    frictionloss: wp.array2d(dtype=float),
    ne: int,
    nflat: int,
    w: int,
    slot: int,
) -> float:
    """This lane's share of the rows' cost."""
    ...


@wp.func_native(
    VECTOR_TYPES
    + _POINTERS
    + """
    const float* V = (const float*)((const char*)Jv.data + (size_t)FRESH(slot) * Jv.strides[0]);
#if defined(__CUDA_ARCH__)
    float first = 0.0f, second = 0.0f;
    for (int r = FRESH(LANE); r < nflat; r += LANES) {"""
    + _BOUNDS
    + """
        const float z = d[r] * (X[r] + alpha * V[r]);
        first += fminf(fmaxf(z, low), high) * V[r];
        if (z > low && z < high) second += d[r] * V[r] * V[r];
    }
    return wp::vec2(first, second);
#else
"""
    + _NUMBERS
    + """
    f8 firsts = {}, seconds = {};
    for (int r = 0; r < nflat; r += 8) {"""
    + _BOUNDS8
    + """
        const f8 v = *(const f8*)(V + r);
        const f8 z = weight * (*(const f8*)(X + r) + alpha * v);
        firsts += __builtin_elementwise_min(__builtin_elementwise_max(z, low), high) * v;
        seconds += ((z > low) & (z < high)) ? weight * v * v : f8{};
    }
    f8 sums = firsts;
    const float first = """
    + _SUM8
    + """;
    sums = seconds;
    const float second = """
    + _SUM8
    + """;
    return wp::vec2(first, second);
#endif
"""
)
def partial_derivatives(
    Jaref: wp.array2d(dtype=float),
    Jv: wp.array2d(dtype=float),
    D: wp.array2d(dtype=float),
    frictionloss: wp.array2d(dtype=float),
    alpha: float,
    ne: int,
    nflat: int,
    w: int,
    slot: int,
) -> wp.vec2:
    """This lane's share of the first and second derivative of the rows' cost by ``alpha``, at Jaref + alpha Jv."""
    ...


@wp.func_native(
    VECTOR_TYPES
    + _POINTERS
    + """
    float* f = (float*)((char*)force.data + (size_t)FRESH(w) * force.strides[0]);
    int* s = (int*)((char*)state.data + (size_t)FRESH(w) * state.strides[0]);
#if defined(__CUDA_ARCH__)
    int changed = 0;
    for (int r = FRESH(LANE); r < nflat; r += LANES) {"""
    + _BOUNDS
    + """
        const float z = d[r] * X[r];
        f[r] = -fminf(fmaxf(z, low), high);
        const int next = z >= high ? (loss[r] > 0.0f ? 3 : 0) : (z <= low ? 2 : 1);
        changed |= next != s[r];
        s[r] = next;
    }
    return changed;
#else
    const auto update = [](const float* X, const float* d, const float* loss, float* f, int* s, int ne, int nflat) OUTLINED {"""
    + _NUMBERS
    + """
        i8 changed = {};
        for (int r = 0; r < nflat; r += 8) {"""
    + _BOUNDS8
    + """
            const f8 z = weight * *(const f8*)(X + r);
            const f8 g = -__builtin_elementwise_min(__builtin_elementwise_max(z, low), high);
            const i8 above = bound > 0.0f ? i8{} + 3 : i8{};
            const i8 below = z <= low ? i8{} + 2 : i8{} + 1;
            const i8 next = z >= high ? above : below;
            const i8 before = *(const i8*)(s + r);
            const i8 mine = index < nflat;
            changed |= mine & (next ^ before);
            *(f8*)(f + r) = mine ? g : *(const f8*)(f + r);
            *(i8*)(s + r) = mine ? next : before;
        }
        return __builtin_reduce_or(changed) != 0;
    };
    return update(X, d, loss, f, s, ne, nflat);
#endif
"""
)
def partial_update(
    Jaref: wp.array2d(dtype=float),
    D: wp.array2d(dtype=float),
    frictionloss: wp.array2d(dtype=float),
    force: wp.array2d(dtype=float),
    state: wp.array2d(dtype=int),
    ne: int,
    nflat: int,
    w: int,
    slot: int,
) -> int:
    """Write force and state (``ConstraintState``) of the rows; 1 if a state of this lane's rows changed."""
    ...
