/** Elements without innerHTML: text is always text. */

type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;
export type Child = Node | string | null;

/** Make an element. A false or null attribute is left out, true is written empty. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

/** Set text only if it differs, so that nothing is selected away or announced twice. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setData(element: HTMLElement, name: string, value: string): void {
  if (element.dataset[name] !== value) element.dataset[name] = value;
}

/** What is pressed waits: it can't be pressed again, and unlike one that is `disabled` keeps the focus. */
export function setWaiting(element: Element, waits: boolean): void {
  element.setAttribute("aria-disabled", String(waits));
}

export const isWaiting = (element: Element): boolean => element.getAttribute("aria-disabled") === "true";

/** Whether the focus is nowhere: on nothing, or on what can't be seen any more. */
export const isFocusLost = (): boolean => document.activeElement === null || document.activeElement === document.body || document.activeElement.closest("[hidden]") !== null;

/** The key that does the same as a control: for the eye; `aria-keyshortcuts` says it to a screen reader. */
export const keyHint = (key: string): HTMLElement => h("kbd", { "aria-hidden": "true" }, key);

export function button(label: string, className: string, onClick: () => void, testId?: string): HTMLButtonElement {
  const element = h("button", { type: "button", class: className, "data-testid": testId }, label);
  element.addEventListener("click", onClick);
  return element;
}
