"""The board with a debate on it, in a real browser, from a small phone to a desk, in both schemes: nothing is cut."""

from __future__ import annotations

import subprocess
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page

from tests.conftest import ROOT
from tests.e2e.conftest import PICTURES

pytestmark = pytest.mark.browser

WEB: Final = ROOT / "web"
BUNDLED_S: Final = 120.0
SIZES: Final = ((360, 740), (390, 844), (640, 400), (768, 1024), (1280, 800))
"""640 by 400 is a small desk at 200 %."""
TEAM_MOST: Final = 0.34  # of the height, folded out or not: the lists below it stay in sight

_CUT: Final = """() => [...document.querySelectorAll('button, summary, h1, h1 ~ p, h2, .tag, .acts')]
  .filter((each) => each.offsetParent !== null || getComputedStyle(each).position === 'fixed')
  .filter((each) => {
    const box = each.getBoundingClientRect();
    return each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).display !== 'inline'
      || box.right > innerWidth + 1 || box.left < -1;
  })
  .map((each) => `${each.textContent} (${each.scrollWidth} of ${each.clientWidth})`)"""
_TABLES: Final = """() => [...document.querySelectorAll('.debate .wide')].map((each) => {
  const { backgroundImage, backgroundAttachment } = getComputedStyle(each);
  const sign = backgroundImage.includes('gradient') && backgroundAttachment.includes('local');
  return [each.scrollWidth - each.clientWidth, sign];
})"""
"""How much of each table is out of sight, in pixels, and whether a shadow at the edge shows it."""
_TEAM: Final = "document.querySelector('.team').getBoundingClientRect().height / innerHeight"


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of a board that is built for the test, with its own sources and styles."""
    folder = tmp_path_factory.mktemp("stage")
    argv = [str(WEB / "node_modules/.bin/esbuild"), "tests/stage.ts", "--bundle", f"--outdir={folder}"]
    subprocess.run(argv, cwd=WEB, check=True, capture_output=True, timeout=BUNDLED_S)
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    body = '<link rel="stylesheet" href="stage.css"><body><script src="stage.js"></script>'
    (folder / "index.html").write_text(f'<!doctype html><html lang="en">{head}{body}', encoding="utf-8")
    return (folder / "index.html").as_uri()


def opened(browser: Browser, stage: str, size: tuple[int, int], scheme: Any, experts: int = 3) -> Page:
    """Open the board, its debate folded out."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(f"{stage}{'' if '#' in stage else '#'}experts={experts}")
    page.get_by_test_id("debate-panel").locator("summary").click()
    page.get_by_test_id("debate-matrix").scroll_into_view_if_needed()
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES, ids=[str(width) for width, _ in SIZES])
def test_no_word_of_a_control_is_cut_and_nothing_is_wider_than_the_page(
    browser: Browser, stage: str, size: tuple[int, int], scheme: str
) -> None:
    page = opened(browser, stage, size, scheme)
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"debate-{size[0]}-{scheme}.png")
    assert page.evaluate(_CUT) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    page.context.close()


@pytest.mark.parametrize("width", [360, 390])
def test_a_matrix_of_three_fits_a_phone_and_a_table_that_is_scrolled_shows_it(
    browser: Browser, stage: str, width: int
) -> None:
    page = opened(browser, stage, (width, 800), "light")
    matrix, views = page.evaluate(_TABLES)
    assert matrix[0] == 0
    assert views[0] > 0 and views[1]
    page.context.close()


@pytest.mark.parametrize("experts", [3, 7])
def test_on_a_desk_the_team_leaves_the_height_to_what_is_read(
    browser: Browser, stage: str, experts: int
) -> None:
    page = opened(browser, stage, (1280, 800), "light", experts)
    assert page.evaluate(_TEAM) <= TEAM_MOST
    page.context.close()


_CRITICAL: Final = """() => {
  const [box, count] = ['.critical-scroll', '.critical-count'].map((each) => document.querySelector(each));
  const { top, bottom } = count.getBoundingClientRect();
  const shadows = getComputedStyle(box).backgroundImage.split('linear').length - 1;
  return [count.textContent, top >= 0 && bottom <= innerHeight, shadows];
}"""
"""What the box says of how many there are, whether that is in sight, and how many shadows its edges have."""
_CAPTION: Final = """() => {
  const box = (each) => document.querySelector(each).getBoundingClientRect();
  const [column, label, text] = [box('.reading'), box('.caption-label'), box('.caption-text')];
  const input = document.activeElement.getBoundingClientRect();
  const whole = label.top >= column.top && text.bottom <= column.bottom;
  return whole && input.top >= text.bottom && input.bottom <= column.bottom;
}"""
"""Whether the caption is in sight, whole, and what is asked under it."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES, ids=[str(width) for width, _ in SIZES])
def test_three_alarms_are_counted_and_the_box_shows_that_it_is_scrolled(
    browser: Browser, stage: str, size: tuple[int, int], scheme: str
) -> None:
    page = opened(browser, f"{stage}#alarms=3&", size, scheme)
    page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=PICTURES / f"alarms-{size[0]}-{scheme}.png")
    assert page.evaluate(_CRITICAL) == ["3 critical findings, none noted", True, 4]
    assert page.evaluate(_CUT) == []
    page.context.close()


@pytest.mark.parametrize("alarms", [1, 2, 3, 4])
@pytest.mark.parametrize("size", [(1280, 800), (1100, 720), (1440, 900)], ids=["1280", "1100", "1440"])
def test_the_caption_is_in_sight_while_something_is_asked_under_alarms(
    browser: Browser, stage: str, size: tuple[int, int], alarms: int
) -> None:
    page = opened(browser, f"{stage}#alarms={alarms}&", size, "light")
    page.get_by_test_id("ask-input").focus()
    assert page.evaluate(_CAPTION)
    page.context.close()
