"""The documentation says what is so: the coverage page names all of MJCF, names exist, the pages are complete."""

import re

import pytest
from paths import REPO

import newtonish
from newtonish import errors, mjcf, mjw
from newtonish.mjcf.language.schema import IGNORED, KEPT, UNSUPPORTED, USED, schema
from newtonish.mjcf.language.vocabulary import ELEMENTS

DOCS = REPO / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
SECTION = {
    USED: "MJCF that is simulated",
    KEPT: "MJCF that is kept for viewers",
    IGNORED: "MJCF without effect on the motion",
    UNSUPPORTED: "MJCF that is not simulated yet",
}


def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def section_words() -> dict[str, set[str]]:
    """Words in backticks of each section of the coverage page."""
    parts = re.split(r"^## (.*)$", text_of("coverage.md"), flags=re.MULTILINE)
    return {title: set(re.findall(r"`([^`]+)`", body)) for title, body in zip(parts[1::2], parts[2::2], strict=True)}


def tags() -> dict[str, set[str]]:
    """Element names by status, containers without attributes left out."""
    found: dict[str, set[str]] = {USED: {"mujoco"}, KEPT: set(), IGNORED: set(), UNSUPPORTED: set()}
    for kind in ELEMENTS:
        for tag, child in schema(kind).children.items():
            if ELEMENTS[child.removeprefix("default:")][0]:
                found[schema(child).status].add(tag)
    return found


@pytest.mark.parametrize("status", SECTION)
def test_the_coverage_page_names_every_element(status):
    words = section_words()[SECTION[status]]
    missing = sorted(tag for tag in tags()[status] if tag not in words)
    assert not missing, f"section {SECTION[status]!r} lacks {', '.join(missing)}"


def test_the_coverage_page_names_every_attribute_that_is_not_simulated():
    words = section_words()[SECTION[UNSUPPORTED]]
    kinds = [schema(kind) for kind in ELEMENTS]
    names = {a.name for kind in kinds if kind.status == USED for a in kind.attributes.values() if a.status == UNSUPPORTED}
    assert names <= words, sorted(names - words)


def test_the_coverage_page_names_every_option():
    words = section_words()["Options"]
    families = tuple(word[:-1] for word in words if word.endswith("*"))
    names = {*schema("option").attributes, *schema("flag").attributes}
    missing = sorted(name for name in names if name not in words and not name.startswith(families))
    assert not missing, missing


def test_every_page_is_in_a_table_of_contents():
    listed = {"index.md"}
    for page in PAGES:
        folder = (DOCS / page).parent
        for block in re.findall(r"```\{toctree\}\n(.*?)```", text_of(page), flags=re.DOTALL):
            names = [line.strip() for line in block.splitlines() if line.strip() and not line.startswith(":")]
            listed |= {(folder / f"{name}.md").relative_to(DOCS).as_posix() for name in names}
    assert set(PAGES) == listed


@pytest.mark.parametrize("module", [newtonish, mjcf, mjw, errors], ids=lambda module: module.__name__)
def test_the_reference_has_every_public_name(module):
    """Autodoc takes a module's ``__all__``, but for what has no docstring or is excluded; that stands alone then."""
    text = text_of(f"api/{module.__name__.removeprefix('newtonish.')}.md")
    assert f".. automodule:: {module.__name__}\n" in text
    excluded = set(re.findall(r"\w+", " ".join(re.findall(r":exclude-members:(.*)", text))))
    elsewhere = {"__version__", "mjcf", "mjw", "solvers", "traversal_utils", *(errors.__all__ if module is newtonish else ())}
    for name in set(module.__all__) - elsewhere:
        taken = name not in excluded and bool(getattr(module, name).__doc__)
        assert taken or f".. autoclass:: {module.__name__}.{name}\n" in text, name


MIGRATIONS = [page for page in PAGES if page.startswith("from_")]


@pytest.fixture(scope="module")
def names():
    """What the pages for those who come from elsewhere call by name."""
    import newtonish.viewer
    from newtonish import envs, interop

    m, d = mjw.load(SMALL, nworld=2)
    builder = newtonish.ModelBuilder()
    newtonish.SolverMuJoCo.register_custom_attributes(builder)
    builder.add_mjcf(SMALL)
    model = builder.finalize()
    return {
        "newtonish": newtonish, "mjw": mjw, "mjcf": mjcf, "envs": envs, "interop": interop, "viewer": newtonish.viewer, "m": m, "d": d,
        "builder": builder, "model": model, "state": model.state(), "control": model.control(), "solver": newtonish.SolverMuJoCo(model),
    }  # fmt: skip


SMALL = """<mujoco><option><flag energy="enable"/></option><worldbody><body name="torso"><freejoint/><geom name="ball" size=".1"/><site name="tip"/>
<body><joint name="knee"/><geom size=".1"/></body></body></worldbody><actuator><motor name="drive" joint="knee"/></actuator>
<sensor><jointpos name="angle" joint="knee"/></sensor><keyframe><key name="home"/></keyframe></mujoco>"""


@pytest.mark.parametrize("page", MIGRATIONS)
def test_the_names_on_our_side_exist(page, names):
    """The second column of each table: Python names up to their arguments, commands, or prose."""
    checked = 0
    for line in text_of(page).splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) < 4 or set(cells[2]) <= set("-"):
            continue
        for text in re.findall(r"`([^`]+)`", cells[2]):
            expression = re.match(r"[A-Za-z_][\w.]*(?:\(\"\w+\"\)[\w.]*)?", text)
            if text.startswith("newtonish ") or expression is None or expression[0].split(".")[0] not in names:
                assert text.startswith(("newtonish ", "NEWTONISH_", "-", "file", "from ")), f"{page}: {text}"
                continue
            named = expression[0].partition("(")[0] if "install_as" in expression[0] else expression[0]  # installs once a process
            eval(named, names)
            checked += 1
    assert checked > 10


@pytest.mark.parametrize("page", PAGES)
def test_links_between_pages_lead_somewhere(page):
    """Files, and headings of pages."""
    text = re.sub(r"^```.*?^```", "", text_of(page), flags=re.DOTALL | re.MULTILINE)
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)", text):
        if "://" in target:
            continue
        path = (DOCS / page).parent / target if target else DOCS / page
        assert path.exists(), f"{page}: {target}"
        if anchor and path.suffix == ".md":
            assert anchor in anchors(path), f"{page}: {target}#{anchor}"


def anchors(path) -> set[str]:
    """Headings as GitHub and myst name them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
