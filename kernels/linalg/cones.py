"""Cost, derivatives, forces and Hessian blocks of contacts with elliptic friction cones, as native code.

A contact's residuals x = J qacc - aref are scaled to N = mu x_0 and U_j = friction_j x_j, T = |U|. Three zones: outside
of the dual cone (N >= mu T) nothing acts; inside the polar one (mu N + T <= 0) the rows are quadratic; in between the
cost is Dm (N - mu T)^2 / 2 with Dm = D_0 / (mu^2 (1 + mu^2)). A contact of dimension 1 is one row that acts when its
residual is negative. Method: MuJoCo's documentation, chapter Computation, "Friction cones" and "Primal problem".

All arrays have a world axis in front; ``w`` picks the world and ``slot`` the part of the scratch arrays Jaref, Jv and H
(see ``scratch_slot``). ``ncon`` contacts are dealt out to the lanes of a block, and sums are this lane's share: add the
shares of all lanes by ``sum_lanes``. Only contacts with rows (``address`` not negative) count.
"""

import warp as wp

from newtonish.kernels.linalg.dense import OUTLINED, VECTOR_TYPES
from newtonish.kernels.linalg.hessian_sum import EACH_TILE, END_TILE
from newtonish.kernels.math.world import FRESH
from newtonish.kernels.structs.field import vec5

# the rows of a contact from one on; a GPU has an array in registers if each index is known when it is compiled, and only as long as it is used
# if it is BLANK before
EACH_ROW = """
#if defined(__CUDA_ARCH__)
#define EACH_ROW(k, begin) _Pragma("unroll") for (int k = begin; k < 6; k++) if (k < n)
#define BLANK = {}
#else
#define BLANK
#define EACH_ROW(k, begin) for (int k = begin; k < n; k++)
#endif
"""
_POINTERS = (
    OUTLINED
    + FRESH
    + EACH_ROW
    + """
    const float* X = (const float*)((const char*)Jaref.data + (size_t)FRESH(slot) * Jaref.strides[0]);
    const float* weights = (const float*)((const char*)D.data + (size_t)FRESH(w) * D.strides[0]);
    const int* addresses = (const int*)((const char*)address.data + (size_t)FRESH(w) * address.strides[0]);
    const int* dims = (const int*)((const char*)dim.data + (size_t)FRESH(w) * dim.strides[0]);
    const float* frictions = (const float*)((const char*)friction.data + (size_t)FRESH(w) * friction.strides[0]);
    const float* mus = (const float*)((const char*)mu.data + (size_t)FRESH(w) * mu.strides[0]);
"""
)
_PARAMETERS = """
        const float* X, const float* weights, const int* addresses, const int* dims, const float* frictions, const float* mus, int ncon"""
_ARGUMENTS = "X, weights, addresses, dims, frictions, mus, ncon"
# for each contact of this lane: n rows from r on, residuals x, weights d, scales s, T, N - mu T, the zone
# (0 nothing, 1 quadratic, 4 cone: the numbers of ConstraintState) and Dm
_LOOP = """
#if defined(__CUDA_ARCH__)
    for (int c = FRESH(LANE); c < ncon; c += LANES) {
#else
    for (int c = 0; c < ncon; c++) {
#endif
"""
CONTACT = """
        const int r = addresses[c], n = dims[c];
        if (r < 0) continue;
        const float* d = weights + r;
        const float* s = frictions + 5 * c - 1;
        const float m = n > 1 ? mus[c] : 1.0f;
        float x[6] BLANK;
        EACH_ROW(k, 0) x[k] = RESIDUAL(r + k);
        float square = 0.0f;
        EACH_ROW(k, 1) square += s[k] * x[k] * s[k] * x[k];
        const float T = sqrtf(square), N = m * x[0], gap = N - m * T;
        const int zone = gap >= 0.0f ? 0 : (n == 1 || m * N + T <= 0.0f ? 1 : 4);
        const float Dm = d[0] / (m * m * (1.0f + m * m));
"""
# second derivative C of the cost of a contact within its cone by its residuals
CURVATURE = """
        float C[6][6];
        for (int j = 1; j < n; j++) {
            const float unit = s[j] * x[j] / T;
            C[0][j] = C[j][0] = -Dm * m * m * s[j] * unit;
            for (int k = 1; k < n; k++) C[j][k] = Dm * m * N / T * unit * (s[k] * x[k] / T) * s[j] * s[k];
            C[j][j] += Dm * (m * m - m * N / T) * s[j] * s[j];
        }
        C[0][0] = Dm * m * m;
"""
# the same without an array, for a GPU: with columns of J that hold a in the first row of the contact and u in the others, b = unit . u, an
# entry of J' C J is Dm m^2 (a - b) (a' - b') + side (s u . s u' - b b')
PRODUCTS = """
        const float m2 = m * m, side = Dm * (m2 - m * N / T);
        float unit[6] BLANK;
        EACH_ROW(k, 1) unit[k] = s[k] * s[k] * x[k] / T;
"""


@wp.func_native(
    _POINTERS
    + f"""
#define RESIDUAL(i) X[i]
    const auto add = []({_PARAMETERS}) OUTLINED {{
        float sum = 0.0f;"""
    + _LOOP
    + CONTACT
    + """
            if (zone == 1) {
                EACH_ROW(k, 0) sum += 0.5f * d[k] * x[k] * x[k];
            } else if (zone == 4) sum += 0.5f * Dm * gap * gap;
        }
        return sum;
    };
#undef RESIDUAL
    return add("""
    + _ARGUMENTS
    + ");"
)
def partial_cone_cost(
    Jaref: wp.array2d(dtype=float),
    D: wp.array2d(dtype=float),
    address: wp.array2d(dtype=int),
    dim: wp.array2d(dtype=int),
    friction: wp.array2d(dtype=vec5),
    mu: wp.array2d(dtype=float),
    ncon: int,
    w: int,
    slot: int,
) -> float:
    """This lane's share of the contacts' cost."""
    ...


@wp.func_native(
    _POINTERS
    + """
#define RESIDUAL(i) (X[i] + alpha * V[i])
    const float* V = (const float*)((const char*)Jv.data + (size_t)FRESH(slot) * Jv.strides[0]);
    float slope = 0.0f, curvature = 0.0f;"""
    + _LOOP
    + CONTACT
    + """
        const float* v = V + r;
        if (zone == 1) {
            EACH_ROW(k, 0) {
                slope += d[k] * x[k] * v[k];
                curvature += d[k] * v[k] * v[k];
            }
        } else if (zone == 4) {
            float uv = 0.0f, vv = 0.0f;
            EACH_ROW(k, 1) {
                uv += s[k] * s[k] * x[k] * v[k];
                vv += s[k] * s[k] * v[k] * v[k];
            }
            const float rate = uv / T;  // of T; its second derivative is (vv - rate^2) / T
            const float change = m * (v[0] - rate);
            slope += Dm * gap * change;
            curvature += Dm * (change * change - gap * m * (vv - rate * rate) / T);
        }
    }
#undef RESIDUAL
    return wp::vec2(slope, curvature);
"""
)
def partial_cone_derivatives(
    Jaref: wp.array2d(dtype=float),
    Jv: wp.array2d(dtype=float),
    D: wp.array2d(dtype=float),
    address: wp.array2d(dtype=int),
    dim: wp.array2d(dtype=int),
    friction: wp.array2d(dtype=vec5),
    mu: wp.array2d(dtype=float),
    alpha: float,
    ncon: int,
    w: int,
    slot: int,
) -> wp.vec2:
    """This lane's share of the first and second derivative of the contacts' cost by ``alpha``, at Jaref + alpha Jv."""
    ...


@wp.func_native(
    _POINTERS
    + f"""
#define RESIDUAL(i) X[i]
    float* forces = (float*)((char*)force.data + (size_t)FRESH(w) * force.strides[0]);
    int* states = (int*)((char*)state.data + (size_t)FRESH(w) * state.strides[0]);
    const auto update = []({_PARAMETERS}, float* forces, int* states) OUTLINED {{
        int changed = 0;"""
    + _LOOP
    + CONTACT
    + """
            changed |= zone == 4 || zone != states[r];
            EACH_ROW(k, 0) {
                float f = 0.0f;
                if (zone == 1) f = -d[k] * x[k];
                else if (zone == 4) f = k == 0 ? -Dm * gap * m : Dm * gap * m * s[k] * s[k] * x[k] / T;
                forces[r + k] = f;
                states[r + k] = zone;
            }
        }
        return changed;
    };
#undef RESIDUAL
    return update("""
    + _ARGUMENTS
    + ", forces, states);"
)
def partial_cone_update(
    Jaref: wp.array2d(dtype=float),
    D: wp.array2d(dtype=float),
    address: wp.array2d(dtype=int),
    dim: wp.array2d(dtype=int),
    friction: wp.array2d(dtype=vec5),
    mu: wp.array2d(dtype=float),
    force: wp.array2d(dtype=float),
    state: wp.array2d(dtype=int),
    ncon: int,
    w: int,
    slot: int,
) -> int:
    """Write force and state of the rows; 1 if a state changed or a contact of this lane is within its cone."""
    ...


@wp.func_native(
    VECTOR_TYPES
    + _POINTERS
    + """
#define RESIDUAL(i) X[i]
    float* A = (float*)((char*)H.data + (size_t)FRESH(slot) * H.strides[0]);
    const int width = H.shape[2];
    const float* rows = (const float*)((const char*)J.data + (size_t)FRESH(w) * J.strides[0]);
#if defined(__CUDA_ARCH__)
    for (int c = 0; c < ncon; c++) {"""
    + CONTACT
    + """
        if (zone != 4) continue;
"""
    + PRODUCTS
    + """
        const float* R = rows + r * width;
"""
    + EACH_TILE
    + """
        float along[4] = {}, across[4] = {};  // tangential parts of four rows and of four columns
        EACH_ROW(k, 1) {
            const float4 a = *(const float4*)(R + k * width + 4 * i), b = *(const float4*)(R + k * width + 4 * j);
            const float u[4] = {a.x, a.y, a.z, a.w}, v[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int m = 0; m < 4; m++) {
                along[m] += unit[k] * u[m];
                across[m] += unit[k] * v[m];
                const float scaled = side * s[k] * s[k] * u[m];
                sum[m].x += scaled * v[0];
                sum[m].y += scaled * v[1];
                sum[m].z += scaled * v[2];
                sum[m].w += scaled * v[3];
            }
        }
        // normal parts less tangential ones
        const float4 p = *(const float4*)(R + 4 * i), q = *(const float4*)(R + 4 * j);
        const float below[4] = {p.x, p.y, p.z, p.w}, right[4] = {q.x - across[0], q.y - across[1], q.z - across[2], q.w - across[3]};
#pragma unroll
        for (int m = 0; m < 4; m++) {
            const float f = Dm * m2 * (below[m] - along[m]), g = -side * along[m];
            sum[m].x += f * right[0] + g * across[0];
            sum[m].y += f * right[1] + g * across[1];
            sum[m].z += f * right[2] + g * across[2];
            sum[m].w += f * right[3] + g * across[3];
        }
"""
    + END_TILE
    + """
    }
    SYNC();
#else
    const auto add = []("""
    + _PARAMETERS
    + """, float* A, const float* rows, int nv, int width) OUTLINED {
        for (int c = 0; c < ncon; c++) {"""
    + CONTACT
    + """
            if (zone != 4) continue;
"""
    + CURVATURE
    + """
            const float* R = rows + r * width;
            for (int p = 0; p < width; p += 8) {
                i8 used = {};
                for (int k = 0; k < n; k++) used |= *(const f8*)(R + k * width + p) != 0.0f;
                unsigned columns = __builtin_bit_cast(unsigned char, __builtin_convertvector(used, b8));
                for (; columns != 0; columns &= columns - 1) {
                    const int i = p + __builtin_ctz(columns);
                    float* h = A + i * width;
                    float a[6];
                    for (int k = 0; k < n; k++) {
                        a[k] = 0.0f;
                        for (int l = 0; l < n; l++) a[k] += C[k][l] * R[l * width + i];
                    }
                    for (int j = 0; j <= p; j += 8) {
                        f8 sum = *(f8*)(h + j);
                        for (int k = 0; k < n; k++) sum += a[k] * *(const f8*)(R + k * width + j);
                        *(f8*)(h + j) = sum;
                    }
                }
            }
        }
    };
    add("""
    + _ARGUMENTS
    + """, A, rows, nv, width);
#endif
#undef RESIDUAL
"""
)
def hessian_add_cones(
    H: wp.array3d(dtype=float),
    J: wp.array3d(dtype=float),
    Jaref: wp.array2d(dtype=float),
    D: wp.array2d(dtype=float),
    address: wp.array2d(dtype=int),
    dim: wp.array2d(dtype=int),
    friction: wp.array2d(dtype=vec5),
    mu: wp.array2d(dtype=float),
    ncon: int,
    nv: int,
    w: int,
    slot: int,
):
    """``H += J_c' C J_c`` for every contact in between its zones, C the second derivative of its cost.

    On a GPU all lanes of the block must call it together; it ends with a barrier.
    """
    ...
