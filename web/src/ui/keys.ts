/** The keyboard, as state/keys.ts says. Never while the reader types, or is asked something. */
import type { Session } from "../session";
import { actOf } from "../state/keys";
import { isStopped, toAcknowledge } from "../state/voice";
import type { TalkPanel } from "./talkPanel";

const TYPING = "input:not([type=radio]):not([type=checkbox]):not([type=button]), textarea, select, [contenteditable]";
const CONTROLS = "button, [role=button], a, summary, input, label";

export class Keys {
  constructor(
    private readonly session: () => Session,
    private readonly talk: TalkPanel,
  ) {
    document.addEventListener("keydown", this.pressed);
  }

  stop(): void {
    document.removeEventListener("keydown", this.pressed);
  }

  private readonly pressed = (event: KeyboardEvent): void => {
    const session = this.session();
    const target = event.target instanceof Element ? event.target : null;
    const act = actOf({
      key: event.key,
      modified: event.ctrlKey || event.altKey || event.metaKey,
      repeated: event.repeat,
      typing: event.isComposing || target?.closest(TYPING) != null || document.querySelector("dialog[open]") !== null,
      onControl: target?.closest(CONTROLS) != null,
      stopped: isStopped(session.view),
      characters: this.talk.keysOn,
    });
    if (!act || event.defaultPrevented) return;
    event.preventDefault();
    if (act === "mute") return session.toggleMute();
    if (act === "focus_ask") return this.talk.focusAsk();
    if (!session.status.listening) return;
    if (act !== "acknowledge") return void session.act(act);
    const critical_key = toAcknowledge(session.view);
    if (critical_key) void session.act("acknowledge", { critical_key });
  };
}
