import { messageOf } from "../net/api";
import { button, h, isWaiting, setWaiting } from "./dom";

/** A button that saves a session's report as a file; what keeps it from that is said on the button. */
export function saveReport(session: { readonly id: string; report(): Promise<string> }): HTMLButtonElement {
  const save = button("Save the report", "quiet", () => void saved(), "report");
  const saved = async (): Promise<void> => {
    if (isWaiting(save)) return;
    setWaiting(save, true);
    save.textContent = "The report is being made …";
    try {
      download(await session.report(), `${session.id}.md`);
      save.textContent = "Save the report";
    } catch (error) {
      save.textContent = `No report: ${messageOf(error)}`;
    }
    setWaiting(save, false);
  };
  return save;
}

function download(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/markdown" }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
