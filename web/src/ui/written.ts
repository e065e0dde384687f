/** Who wrote an update, in a line: rules or a model, what a model could not do, and what was cut to fit. */
import { FIELDS, type Fallback, type Update } from "../protocol";
import { h } from "./dom";
import { FIELD_NAMES } from "./words";

const WHY: Readonly<Record<string, string>> = {
  deadline: "did not answer in time",
  rate_limited: "takes no more questions just now",
  unavailable: "could not be reached",
  cut_short: "broke off in its answer",
  refused: "would not answer",
  unparsable: "gave an answer that could not be read",
  token_limit: "was ended in its answer by a limit of tokens",
  looping: "said the same again and again",
  overlong: "wrote more than is read",
  wrong_request: "did not take the question; its key or its name may be wrong",
  breaker_open: "failed too often in a row and is left alone for a while",
  behind: "was not asked, as the agents were ahead of it",
  no_excerpt: "wrote nothing that an agent had said word for word",
};

export interface Written {
  /** Empty: `amiss` says it. */
  readonly by: string;
  /** What did not go as it should; empty: all did. */
  readonly amiss: readonly string[];
}

export function writtenBy(update: Update): Written {
  const amiss = update.fallbacks.map(fellBack);
  if (update.truncated.length) amiss.push(`Cut short to fit, and never read aloud: ${update.truncated.map((field) => FIELD_NAMES[field]).join(", ")}.`);
  return { by: author(update), amiss };
}

function author({ engine, model, by_model, fallbacks }: Update): string {
  if (engine === "lexical") return stoodIn(fallbacks) ? "" : "Written by rules, without a model.";
  const name = model || "a model";
  if (by_model.length === FIELDS.length) return `Chosen by ${name} from the agents' own sentences.`;
  if (by_model.length === 0) return `Written by rules. A sentence to be read was chosen by ${name}.`;
  return `${by_model.length} of ${FIELDS.length} parts chosen by ${name} from the agents' own sentences, the others written by rules.`;
}

function fellBack({ part, reason }: Fallback): string {
  const why = WHY[reason] ?? "failed";
  const rules = { judge: "Rules decided when", reader: "Rules read a part of what was said" }[part] ?? "Written by rules";
  return `${rules}: the model ${why}.`;
}

/** In a word or two, for the head of a card: a model's name, or that rules stood in; empty: rules wrote it, as they do without a model. */
export function writtenTag({ engine, model, fallbacks }: Update): string {
  if (engine === "llm") return model || "Model";
  return stoodIn(fallbacks) ? "Rules stood in" : "";
}

const stoodIn = (fallbacks: readonly Fallback[]): boolean => fallbacks.some(({ part }) => part === "summarizer");

/** The line, and under it what is amiss, for the foot of a summary. */
export function writtenLine(update: Update): HTMLElement {
  const { by, amiss } = writtenBy(update);
  return h(
    "div",
    { class: "written", "data-testid": "written", "data-engine": update.engine },
    by ? h("p", {}, by) : null,
    ...amiss.map((text) => h("p", { class: "amiss", "data-testid": "amiss" }, text)),
  );
}
