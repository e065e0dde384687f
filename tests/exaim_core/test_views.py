"""A view is read where its sentence names it by a label, wherever the label stands, and nowhere else."""

from __future__ import annotations

import pytest

from exaim_core.claims.claim_words import labelled_view
from exaim_core.grounding.sight import unlike

HELD = [
    ("My leading diagnosis is gout.", "gout"),
    ("I would propose that the most likely diagnosis is sudden cardiac death.", "sudden cardiac death"),
    ("As you pointed out, the most likely diagnosis here is tuberculosis (TB).", "tuberculosis (TB)"),
    ("Given the pain, vein thrombosis (VT) remains the most likely diagnosis.", "vein thrombosis (VT)"),
    ("I believe giant cell arteritis is the most likely diagnosis, given the ESR.", "giant cell arteritis"),
    ("Gout remains our leading candidate.", "Gout"),
    ("Gout is the most likely diagnosis; the least likely diagnosis is sepsis.", "Gout"),
    ("While I see why, I think that the most likely diagnosis is sudden cardiac death.", "sudden cardiac death"),
    ("The most likely diagnosis is acute aortic dissection, probably type A.", "acute aortic dissection"),
]  # fmt: skip
NOT_HELD = [
    "Doctor One says that the most likely diagnosis is gout.",
    "Doctor Two's leading diagnosis is sepsis.",
    "The referring hospital's working diagnosis is pneumonia.",
    "You claim that the most likely diagnosis is sepsis.",
    "I disagree that the most likely diagnosis is sepsis.",
    "I disagree that sepsis is the most likely diagnosis.",
    "It is premature to conclude that the most likely diagnosis is sepsis.",
    "It would be wrong to say the most likely diagnosis is gout.",
    "The least likely diagnosis is sepsis.",
    "The second most likely diagnosis is sepsis.",
    "Another plausible explanation is sepsis.",
    "If the culture grows, the most likely diagnosis is septic arthritis.",
    "In another patient, the most likely diagnosis is lupus.",
    "Gout is not the most likely diagnosis.",
    "Is gout the most likely diagnosis?",
    "The most likely length of stay is a week.",
]


@pytest.mark.parametrize(("text", "view"), HELD)
def test_a_view_is_named_by_its_label(text: str, view: str) -> None:
    assert labelled_view(text) == view


@pytest.mark.parametrize("text", NOT_HELD)
def test_what_is_denied_supposed_or_of_another_is_no_view(text: str) -> None:
    assert labelled_view(text) is None


TOLD = "Doctor Zero leads with sarcoidosis."
ABOUT_SOMETHING_ELSE = [
    "Sarcoidosis (stage 2) secondary to exposure and possibly worsened by smoking.",
    "Based on the information provided, sarcoidosis is the most likely diagnosis.",
    "The most likely diagnosis remains sarcoidosis, specifically considering the cardiac subtype.",
]
ABOUT_IT = [
    "Sarcoidosis, perhaps.",
    "Leading: sarcoidosis, with nodes, in my reading, possibly.",
    "Sarcoidosis leads, provided by six the biopsy shows granulomas.",
    "It may well be, as was said, sarcoidosis.",
    "Sarcoidosis with hilar nodes could be considered.",
    "Sarcoidosis is the most likely diagnosis provided that the biopsy shows granulomas.",
]


@pytest.mark.parametrize("cited", ABOUT_SOMETHING_ELSE)
def test_a_doubt_about_something_else_keeps_no_view_back(cited: str) -> None:
    assert unlike(TOLD, [cited], names=["Doctor Zero"]) is None


@pytest.mark.parametrize("cited", ABOUT_IT)
def test_a_doubted_view_is_not_told_as_certain(cited: str) -> None:
    assert unlike(TOLD, [cited], names=["Doctor Zero"]) is not None
