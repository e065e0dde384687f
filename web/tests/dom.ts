/** As much of a document as the panels use, for tests without a browser: what stands where, and whether it is still the same element. */

type Child = Fake | string;

export class Fake {
  children: Fake[] = [];
  text = "";
  parent: Fake | null = null;
  hidden = false;
  disabled = false;
  open = false;
  className = "";
  title = "";
  scrollTop = 0;
  readonly style: Record<string, string> = {};
  readonly dataset: Record<string, string> = {};
  readonly attributes = new Map<string, string>();
  private readonly pressed: (() => void)[] = [];

  constructor(readonly tag: string) {}

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
    if (name === "hidden") this.hidden = true;
    if (name === "open") this.open = true;
  }

  addEventListener(name: string, act: () => void): void {
    if (name === "click") this.pressed.push(act);
  }

  click(): void {
    if (!this.disabled) for (const act of this.pressed) act();
  }

  append(...children: Child[]): void {
    for (const child of children) this.insertBefore(typeof child === "string" ? textOf(child) : child, null);
  }

  prepend(child: Fake): void {
    this.insertBefore(child, this.children[0] ?? null);
  }

  toggleAttribute(name: string, on: boolean): void {
    if (on) this.attributes.set(name, "");
    else this.attributes.delete(name);
  }

  focus(): void {}

  insertBefore(child: Fake, before: Fake | null): void {
    child.remove();
    this.children.splice(before ? this.children.indexOf(before) : this.children.length, 0, child);
    child.parent = this;
  }

  replaceChildren(...children: Child[]): void {
    for (const child of [...this.children]) child.remove();
    this.append(...children);
  }

  remove(): void {
    this.parent?.children.splice(this.parent.children.indexOf(this), 1);
    this.parent = null;
  }

  get textContent(): string {
    return this.text + this.children.map((child) => child.textContent).join("");
  }

  set textContent(text: string) {
    this.replaceChildren();
    this.text = text;
  }

  querySelector(tag: string): Fake | null {
    return this.all((fake) => fake.tag === tag)[0] ?? null;
  }

  all(wanted: (fake: Fake) => boolean): Fake[] {
    return [...(wanted(this) ? [this] : []), ...this.children.flatMap((child) => child.all(wanted))];
  }

  named(testId: string): Fake[] {
    return this.all((fake) => fake.attributes.get("data-testid") === testId);
  }
}

function textOf(text: string): Fake {
  const made = new Fake("#text");
  made.text = text;
  return made;
}

export const fakeDocument = {
  createElement: (tag: string): Fake => new Fake(tag),
  createElementNS: (_space: string, tag: string): Fake => new Fake(tag),
};

export const faked = (element: unknown): Fake => element as Fake;
