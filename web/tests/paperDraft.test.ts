// @vitest-environment happy-dom
import { beforeEach, describe, expect, test } from "vitest";
import { type Draft, PaperDraftPanel } from "../src/ui/paperDraft";

const DRAFT: Draft = {
  paper: {
    case_id: "draft",
    title: "A fit",
    age: 68,
    sex: "female",
    allergies: [{ substance: "phenytoin", reaction: "rash", year: 2011 }],
    labs: [{ analyte: "sodium", value: 112, unit: "mmol/L", ref_range: [135, 145] }, { analyte: "potassium", value: 2.8, unit: "mmol/L" }],
    history: ["Gout since 2004."],
  },
  sources: [{ field: "age", words: "68-year-old" }, { field: "labs.1", words: "K 2.8 mmol/L" }],
  left_out: [{ field: "labs", words: "lactate 4.8", why: "these words do not stand in the text" }],
  unread: ["No allergy to <b>penicillin</b>."],
};

let panel: PaperDraftPanel;
const input = (list: string, entry: number, field: number): HTMLInputElement => {
  const row = panel.element.querySelectorAll(`[data-testid=draft-${list}] li`)[entry];
  return row?.querySelectorAll<HTMLInputElement>("input")[field] as HTMLInputElement;
};
const type = (at: HTMLInputElement, text: string): void => {
  at.value = text;
  at.dispatchEvent(new Event("input"));
};

beforeEach(() => {
  panel = new PaperDraftPanel();
  panel.show(DRAFT);
});

describe("a drafted paper", () => {
  test("that nobody corrects is the paper as it came", () => {
    expect(panel.corrected).toEqual(DRAFT.paper);
  });

  test("shows each entry beside its words, what was left out with the reason, and what was taken from nowhere, as text", () => {
    expect(panel.element.querySelector("[data-testid=draft-labs] li:nth-child(2) q")?.textContent).toBe("K 2.8 mmol/L");
    expect(panel.element.querySelector("[data-testid=draft-left-out] li")?.textContent).toContain("do not stand in the text");
    expect(panel.element.querySelector("[data-testid=draft-unread] q")?.textContent).toBe("No allergy to <b>penicillin</b>.");
    expect(panel.element.querySelector("b")).toBeNull();
    expect(panel.element.querySelector("[data-testid=draft-medication]")?.textContent).toContain("not the same as none");
  });

  test("takes a number that is typed over, and waits where it is none", () => {
    type(input("labs", 1, 2), "3.1");
    expect((panel.corrected?.["labs"] as { value: number }[])[1]?.value).toBe(3.1);
    type(input("labs", 1, 2), "three");
    expect(input("labs", 1, 2).getAttribute("aria-invalid")).toBe("true");
    expect(panel.wrong).toEqual(["value"]);
    expect(panel.corrected).toBeNull();
  });

  test("loses an entry that is unticked or emptied, and a part that is emptied", () => {
    input("labs", 0, 0).checked = false;
    type(input("history", 0, 1), " ");
    type(input("allergies", 0, 2), "");
    expect(panel.corrected).toEqual({
      case_id: "draft",
      title: "A fit",
      age: 68,
      sex: "female",
      allergies: [{ substance: "phenytoin", year: 2011 }],
      labs: [{ analyte: "potassium", value: 2.8, unit: "mmol/L" }],
    });
  });

  test("takes a sentence that nobody took as a note, once", () => {
    const add = panel.element.querySelector<HTMLButtonElement>("[data-testid=draft-unread] button");
    add?.click();
    add?.click();
    expect(panel.corrected?.["notes"]).toEqual(["No allergy to <b>penicillin</b>."]);
  });
});
