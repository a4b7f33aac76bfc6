"""The sources of the shaders, in OpenGL 3.3's language.

Lighting is MuJoCo's: of a light come ambient, diffuse and specular parts (Blinn's half vector, exponent 128 times the material's
shininess), attenuated with distance and towards the rim of its cone; a shadow takes all of its light away; a texture multiplies the
sum. It is computed for every pixel, not for every corner. See "Visual" of MuJoCo's XML reference and J. F. Blinn, Models of light
reflection for computer synthesized pictures, SIGGRAPH 1977.
"""

__all__ = ["FLAT_FRAGMENT", "FLAT_VERTEX", "ID_FRAGMENT", "ID_VERTEX", "MIRROR_FRAGMENT", "MIRROR_VERTEX", "PICTURE_FRAGMENT", "SCENE_FRAGMENT",
           "SCENE_VERTEX", "SHADOW_FRAGMENT", "SHADOW_VERTEX", "SKY_FRAGMENT", "SKY_VERTEX", "scene_fragment"]  # fmt: skip

INSTANCE = """
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 3) in vec4 row0;   // rotation, and position in the fourth column
layout(location = 4) in vec4 row1;
layout(location = 5) in vec4 row2;
layout(location = 6) in vec4 scale_slack;
layout(location = 7) in vec4 color;
layout(location = 8) in vec4 looks;  // scale of the texture, glow
layout(location = 9) in ivec2 ident;
#define scale scale_slack.xyz
uniform int capped;                  // the ends beyond z = +-1 are scaled as the radius is

vec3 placed() {
    vec4 p = vec4(position * scale, 1.0);
    if (capped == 1) {
        float tube = clamp(position.z, -1.0, 1.0);
        p.z = tube * scale.z + (position.z - tube) * scale.x;
    }
    return vec3(dot(row0, p), dot(row1, p), dot(row2, p));
}
"""

SCENE_VERTEX = (
    INSTANCE
    + """
uniform mat4 project_view;
uniform vec4 cut;                    // a mirror: what lies below it is not drawn
out vec3 point;
out vec3 facing;
flat out vec4 paint;
flat out float glow;
flat out float slack;
#if TEXTURE == 1
uniform int explicit_uv;
out vec2 texel;
#elif TEXTURE == 2
out vec3 texel;
#endif

void main() {
    point = placed();
    vec3 n = capped == 1 ? normal : normal * scale.yzx * scale.zxy;    // cofactors turn normals, also those of flat things
    facing = vec3(dot(row0.xyz, n), dot(row1.xyz, n), dot(row2.xyz, n));
    paint = color;
    glow = looks.w;
    slack = scale_slack.w;
#if TEXTURE == 1
    texel = explicit_uv == 1 ? uv * looks.xy : vec2(0.5, -0.5) * looks.xy * position.xy - 0.5;
#elif TEXTURE == 2
    texel = looks.xyz * position;
#endif
    gl_Position = project_view * vec4(point, 1.0);
    gl_ClipDistance[0] = dot(cut, vec4(point, 1.0));
}
"""
)

SCENE_FRAGMENT = """
in vec3 point;
in vec3 facing;
flat in vec4 paint;
flat in float glow;
flat in float slack;                 // how far a coarse mesh may lie below its surface
out vec4 result;

uniform vec3 eye;
uniform vec3 sight;                  // direction of an orthographic view, zero for perspective
uniform vec3 shine;                  // emission, specular, exponent
uniform vec3 ambience;
#if LIGHTS > 0
uniform vec4 light_position[LIGHTS]; // w = 1: a place, w = 0: the direction to the light
uniform vec4 light_axis[LIGHTS];     // where a spot points to, cosine of its cone
uniform vec3 light_ambient[LIGHTS];
uniform vec3 light_diffuse[LIGHTS];
uniform vec3 light_specular[LIGHTS];
uniform vec4 light_fall[LIGHTS];     // attenuation: constant, linear, quadratic; the spot's exponent
#endif
#if SHADOWS > 0
uniform sampler2DArrayShadow shadow;
uniform mat4 shadow_view[SHADOWS];
uniform vec2 shadow_width[SHADOWS];  // of a pixel, at the distance one
#endif
#if TEXTURE == 1
in vec2 texel;
uniform sampler2D image;
#elif TEXTURE == 2
in vec3 texel;
uniform samplerCube image;
#endif
uniform vec4 haze;                   // colour, distance from the camera at which it begins to hide (0: none)
uniform float haze_end;
uniform float dim;                   // of what a mirror shows: its reflectance, which leaves highlights as they are

void main() {
    vec3 n = normalize(facing);
    vec3 to_eye = dot(sight, sight) > 0.0 ? -sight : normalize(eye - point);
    n = gl_FrontFacing ? n : -n;
    vec3 tint = dim * paint.rgb, base = (shine.x + glow + ambience) * tint, added = vec3(0.0);
LIGHTS_HERE
    vec4 shade = vec4(min(base, 1.0) + added, paint.a);
#if TEXTURE > 0
    shade *= texture(image, texel);
#endif
    shade.rgb = min(shade.rgb, 1.0);
    if (haze.w > 0.0) {
        float away = distance(eye, point);
        float span = haze_end > 0.0 ? haze_end - haze.w : away - haze_end;   // fog, or an endless ground towards its horizon
        shade.rgb = mix(shade.rgb, dim * haze.rgb, clamp((away - haze.w) / span, 0.0, 1.0));
    }
    result = shade;
}
"""

DIRECTIONAL = """
    {   vec3 to_light = light_position[I].xyz;
        float fall = 1.0;
"""
SPOT = """
    {   vec3 away = light_position[I].xyz - point;
        float distance2 = dot(away, away);
        vec3 to_light = away * inversesqrt(distance2);
        float fall = 1.0 / (light_fall[I].x + light_fall[I].y * sqrt(distance2) + light_fall[I].z * distance2);
        float cosine = -dot(to_light, light_axis[I].xyz);
        fall *= cosine < light_axis[I].w ? 0.0 : pow(max(cosine, 1e-4), light_fall[I].w);
"""
POINT = SPOT[: SPOT.index("        float cosine")]
SHADOWED = """
        {   vec4 q = shadow_view[I] * vec4(point, 1.0);
            q += shadow_view[I] * vec4(n * (slack + 3.0 * shadow_width[I].x * q.w), 0.0);     // off the surface, against its own shadow
            vec3 place = q.xyz / q.w;
            bool covered = q.w > 0.0 && all(lessThan(abs(place.xy - 0.5), vec2(0.498)));
            fall *= covered ? texture(shadow, vec4(place.xy, I.0, min(place.z, 1.0))) : 1.0;
        }
"""
SHINING = """
        float slope = max(dot(n, to_light), 0.0);
        vec3 part = (light_ambient[I] + light_diffuse[I] * slope) * tint;
#if GLEAM == 1
        float gleam = max(dot(n, normalize(to_light + to_eye)), 1e-4);
        part += light_specular[I] * (slope > 0.0 ? shine.y * pow(gleam, shine.z) : 0.0);
#endif
        TOTAL
    }
"""
# as MuJoCo, which draws a pass for each light that throws shadows: such a light saturates by itself, all others together
TOGETHER, BY_ITSELF = "base += fall * part;", "added += min(fall * part, 1.0);"


def scene_fragment(kinds: str, shadows: int) -> str:
    """The fragment shader for lights of these kinds, in their order, the first ``shadows`` of which throw shadows.

    Args:
        kinds: A letter for each: ``d`` directional, ``s`` a spot with a cone, ``p`` a point. Written out light by light, since on
            a processor a branch costs as much as both its sides.
        shadows: How many have shadows.
    """
    parts = []
    for row, kind in enumerate(kinds):
        code = {"d": DIRECTIONAL, "s": SPOT, "p": POINT}[kind] + (SHADOWED if row < shadows else "") + SHINING
        code = code.replace("TOTAL", BY_ITSELF if row < shadows else TOGETHER)
        parts.append(code.replace("[I]", f"[{row}]").replace("I.0", f"{row}.0"))
    return SCENE_FRAGMENT.replace("LIGHTS_HERE", "".join(parts))


SHADOW_VERTEX = INSTANCE + "uniform mat4 project_view;\nvoid main() { gl_Position = project_view * vec4(placed(), 1.0); }\n"
SHADOW_FRAGMENT = "void main() {}\n"

ID_VERTEX = (
    INSTANCE
    + """
uniform mat4 project_view;
uniform vec4 depth_row;      // gives the distance along the line of sight
flat out ivec2 what;
out float depth;
void main() {
    vec4 p = vec4(placed(), 1.0);
    what = ident;
    depth = dot(depth_row, p);
    gl_Position = project_view * p;
}
"""
)
ID_FRAGMENT = """
flat in ivec2 what;
in float depth;
layout(location = 0) out ivec2 seen;
layout(location = 1) out float metres;
void main() { seen = what; metres = depth; }
"""

MIRROR_VERTEX = (
    INSTANCE
    + """
uniform mat4 project_view;
flat out float towards_z;
void main() {
    towards_z = normal.z;
    gl_Position = project_view * vec4(placed(), 1.0);
}
"""
)
MIRROR_FRAGMENT = """
flat in float towards_z;
out vec4 result;
uniform sampler2D image;
void main() {
    if (towards_z < 0.999) discard;      // the other faces of a box
    result = vec4(texelFetch(image, ivec2(gl_FragCoord.xy), 0).rgb, 0.0);
}
"""

SKY_VERTEX = """
uniform mat4 to_ray;         // from the picture's corners to directions in the world
out vec3 ray;
void main() {
    vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    ray = (to_ray * vec4(corner, 0.0, 1.0)).xyz;
    gl_Position = vec4(corner, 1.0, 1.0);
}
"""
SKY_FRAGMENT = """
in vec3 ray;
out vec4 result;
uniform vec3 top;
uniform vec3 bottom;
uniform vec4 haze;           // colour, and what part of the way to the horizon it covers (0: none)
uniform vec4 ground;         // normal of the endless ground, height of the eye above it in distances of the horizon
#if TEXTURE == 2
uniform samplerCube image;
#endif
void main() {
    vec3 d = normalize(ray);
#if TEXTURE == 2
    vec3 color = texture(image, vec3(d.x, d.z, -d.y)).rgb;
#else
    vec3 color = mix(bottom, top, 0.5 + 0.5 * d.z);
#endif
    if (haze.w > 0.0) {
        float up = dot(d, ground.xyz);
        float down = -up / max(length(d - up * ground.xyz), 1e-6);
        float veil = (ground.w - down * (1.0 - haze.w)) / (ground.w + down * haze.w);
        if (down > 0.0) color = mix(color, haze.rgb, clamp(veil, 0.0, 1.0));
    }
    result = vec4(color, 1.0);
}
"""

FLAT_VERTEX = """
layout(location = 0) in vec2 position;   // pixels from the upper left corner
layout(location = 1) in vec2 uv;
layout(location = 2) in vec4 color;
uniform vec2 pixels;
out vec2 texel;
out vec4 paint;
void main() {
    texel = uv;
    paint = color;
    gl_Position = vec4(2.0 * position.x / pixels.x - 1.0, 1.0 - 2.0 * position.y / pixels.y, 0.0, 1.0);
}
"""
FLAT_FRAGMENT = """
in vec2 texel;
in vec4 paint;
out vec4 result;
uniform sampler2D glyphs;
void main() { result = vec4(paint.rgb, paint.a * texture(glyphs, texel).r); }
"""
PICTURE_FRAGMENT = """
in vec2 texel;
out vec4 result;
uniform sampler2D image;
void main() { result = texture(image, texel); }
"""
