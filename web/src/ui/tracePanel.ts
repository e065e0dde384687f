/**
 * The agents' own words as they come. Follows the newest unless the reader has scrolled up, or looks at what a sentence
 * rests on.
 */
import type { Place } from "../protocol";
import { rangesIn } from "../state/evidence";
import type { TraceBlock, View } from "../state/view";
import { button, h, setText } from "./dom";
import { icon } from "./icons";
import { Prose } from "./prose";
import { costWords, thoughtWords } from "./words";

const AGENT_COLOURS = 8;
/** Within this of the bottom the reader counts as following. */
const NEAR_PX = 32;
/** Above a place that is gone to: a heading, behind the name that stays on top. */
const ABOVE_PX = 64;

interface Block {
  readonly element: HTMLElement;
  readonly prose: Prose;
  /** As it was drawn: older words that come later stand before it, and move what is marked. */
  start: number | null;
}

export class TracePanel {
  private readonly log = h("div", { class: "scroll log", tabindex: 0, role: "log", "aria-live": "off", "aria-label": "Agents' own words" });
  private readonly latest: HTMLButtonElement;
  readonly element: HTMLElement;
  private readonly blocks = new Map<number, Block>();
  private places: readonly Place[] = [];
  private readonly colours = new Map<string, number>();
  private following = true;
  private height = 0;
  private drawn: readonly TraceBlock[] | null = null;
  private readonly cost = h("summary", {});
  private readonly costsByAgent = h("ul", {});
  private readonly costs = h("details", { class: "costs faint", "data-testid": "costs", hidden: true }, this.cost, this.costsByAgent);
  private counted: View["costs"] = [];

  /** `above`: what stands between the panel's head and the words. */
  constructor(above: HTMLElement) {
    this.latest = button("Go to latest", "latest", () => this.follow(), "go-to-latest");
    this.latest.prepend(icon("down"));
    this.latest.hidden = true;
    this.log.addEventListener("scroll", () => this.scrolled(), { passive: true });
    new ResizeObserver(() => this.resized()).observe(this.log);
    this.element = h(
      "section",
      { class: "panel scroller", "aria-label": "Agents' own words", "data-testid": "raw-panel" },
      h("div", { class: "panel-head" }, h("h2", {}, "Agents’ own words"), h("span", { class: "tag faint" }, "unchecked")),
      above,
      this.log,
      this.costs,
      this.latest,
    );
  }

  update(view: View): void {
    this.count(view.costs);
    if (view.trace === this.drawn) return;
    this.drawn = view.trace;
    view.hello?.agents.forEach((agent) => this.colour(agent.id));
    const live = new Set(view.trace.map((block) => block.key));
    for (const [key, block] of this.blocks) {
      if (live.has(key)) continue;
      block.element.remove();
      this.blocks.delete(key);
    }
    view.trace.forEach((block, at) => this.place(this.draw(block), at));
    if (this.following) this.log.scrollTop = this.log.scrollHeight;
  }

  /** Older words come later: a block stands where it belongs. */
  private place(element: HTMLElement, at: number): void {
    const there = this.log.children[at];
    if (there !== element) this.log.insertBefore(element, there ?? null);
  }

  private draw(block: TraceBlock): HTMLElement {
    const known = this.blocks.get(block.key);
    if (known) {
      known.prose.show(block.text);
      if (known.start !== block.start) known.prose.mark(rangesIn(block, this.places));
      known.start = block.start;
      return known.element;
    }
    const prose = new Prose();
    prose.show(block.text);
    if (this.places.length > 0) prose.mark(rangesIn(block, this.places));
    const kind = block.thinking ? "block thought" : "block";
    const element = h("article", { class: kind, "data-agent-colour": this.colour(block.agent_id) });
    if (block.thinking) {
      const summary = h("summary", {}, thoughtWords(block.name));
      element.append(h("details", { "data-testid": "thought" }, summary, prose.element));
    } else {
      if (block.opens) element.append(h("h3", {}, block.name));
      element.append(prose.element);
    }
    this.blocks.set(block.key, { element, prose, start: block.start });
    return element;
  }

  private count(costs: View["costs"]): void {
    if (costs === this.counted) return;
    this.counted = costs;
    const [all, ...each] = costWords(costs);
    this.costs.hidden = all === undefined;
    setText(this.cost, all ?? "");
    this.costsByAgent.replaceChildren(...each.map((line) => h("li", {}, line)));
  }

  /** Mark these places and no others. */
  mark(places: readonly Place[]): void {
    this.places = places;
    for (const block of this.drawn ?? []) this.blocks.get(block.key)?.prose.mark(rangesIn(block, places));
  }

  /** Bring a place into sight. */
  go(place: Place): void {
    for (const block of this.drawn ?? []) {
      const mark = this.blocks.get(block.key)?.prose.markAt(rangesIn(block, [place]));
      if (!mark) continue;
      this.following = false;
      this.element.scrollIntoView({ block: "nearest" });
      const { top } = mark.getBoundingClientRect();
      const log = this.log.getBoundingClientRect();
      this.log.scrollTop += top - log.top - Math.max(ABOVE_PX, log.height / 3);
      this.latest.hidden = false;
      return;
    }
  }

  private colour(agent_id: string): number {
    const known = this.colours.get(agent_id);
    if (known !== undefined) return known;
    const next = this.colours.size % AGENT_COLOURS;
    this.colours.set(agent_id, next);
    return next;
  }

  /** A panel of another size scrolls by itself: that is not the reader, so following goes on. */
  private scrolled(): void {
    const { scrollHeight, scrollTop, clientHeight } = this.log;
    if (clientHeight === this.height) this.following = scrollHeight - scrollTop - clientHeight <= NEAR_PX;
    this.latest.hidden = this.following;
  }

  private resized(): void {
    if (this.following) this.log.scrollTop = this.log.scrollHeight;
    this.height = this.log.clientHeight;
  }

  private follow(): void {
    this.following = true;
    this.latest.hidden = true;
    this.log.scrollTop = this.log.scrollHeight;
    this.log.focus();
  }
}

