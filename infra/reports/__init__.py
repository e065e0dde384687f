"""What became of a session, for people and programs: made by rules from what is stored, without a model."""

from infra.reports.build import build_report
from infra.reports.markdown import to_markdown
from infra.reports.material import Material, NothingHappened, read_material
from infra.reports.model import Report

__all__ = ["Material", "NothingHappened", "Report", "build_report", "read_material", "to_markdown"]
