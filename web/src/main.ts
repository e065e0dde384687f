/** Puts the page together: the chooser, then the board of one session. A tab that is reloaded returns to its session. */
import "./styles/page.css";
import "./debug";
import { freshToken, messageOf, openDoor, type Ticket } from "./net/api";
import { type Link, linked } from "./net/invitation";
import { opening } from "./net/key";
import { here, recall, type Remembered } from "./net/memory";
import { Session } from "./session";
import { Board } from "./ui/board";
import { Chooser } from "./ui/chooser";
import { Doorway } from "./ui/doorway";
import { h } from "./ui/dom";

const app = document.getElementById("app") ?? document.body;

/** Show a view in the place of another, whose focus is gone with it: a keyboard and a screen reader go on at its title. */
function show(element: HTMLElement): void {
  const first = app.childElementCount === 0;
  app.replaceChildren(element);
  const title = element.querySelector("h1");
  if (first || !title) return;
  title.tabIndex = -1;
  title.focus({ preventScroll: true });
}

/** `told`: why this tab got no key, if it asked for one. */
function choose(told = ""): void {
  const chooser = new Chooser(listen, told);
  show(chooser.element);
  void chooser.load();
}

function listen(self: Remembered, ticket: Ticket, returned = false): void {
  const board: Board = new Board(() => session, () => choose(), listen);
  const session = new Session(
    self,
    () => board.changed(),
    () => board.looked(),
    returned,
  );
  if (returned) board.restore();
  app.replaceChildren(board.element); // takes the focus when its title is known
  void session.start(ticket);
  board.changed();
}

/** A link was followed: show what it opens, and ask the reader. */
function invite(link: Link): void {
  const enter = async (self: Remembered): Promise<void> => {
    try {
      listen(self, await freshToken(self.session_id, self.client_secret));
    } catch {
      choose(); // says what became of the session, and offers what there is to do
    }
  };
  const doorway = new Doorway(link, enter, () => void goOn());
  show(doorway.element);
  void doorway.look();
}

/** A reload of the tab goes on listening, without a question. */
async function goOn(): Promise<void> {
  const self = recall(here() ?? "");
  if (!self) return choose();
  show(h("main", { class: "chooser" }, h("p", { class: "hint", role: "status" }, "Returning to your session…")));
  try {
    listen(self, await freshToken(self.session_id, self.client_secret), true);
  } catch {
    choose();
  }
}

/** Somebody followed the link that was printed at the start: this tab gets its key. */
async function unlock(code: string): Promise<void> {
  try {
    await openDoor(code);
  } catch (error) {
    if (!here()) return choose(messageOf(error));
  }
  return goOn();
}

function begin(): void {
  const { hash } = location;
  if (hash) history.replaceState(null, "", location.pathname + location.search); // first: out of the address and the history
  const [code, link] = [opening(hash), linked(hash)];
  if (code) void unlock(code);
  else if (link) invite(link);
  else void goOn();
}

addEventListener("hashchange", () => {
  if (linked(location.hash) || opening(location.hash)) location.reload(); // pasted into a tab that has the page already
});

begin();
