/** Puts the page together: the chooser first, then the board of one session; a session that still lives comes back by itself. */
import "./styles/page.css";
import "./debug";
import { freshToken, type Ticket } from "./net/api";
import { recall, type Remembered } from "./net/memory";
import { Session } from "./session";
import { Board } from "./ui/board";
import { Chooser } from "./ui/chooser";
import { h } from "./ui/dom";

const app = document.getElementById("app") ?? document.body;

function choose(): void {
  const chooser = new Chooser(listen);
  app.replaceChildren(chooser.element);
  void chooser.load();
}

function listen(self: Remembered, ticket: Ticket, returned = false): void {
  const board: Board = new Board(() => session, choose, listen);
  const session = new Session(
    self,
    () => board.changed(),
    () => board.looked(),
    returned,
  );
  if (returned) board.restore();
  app.replaceChildren(board.element);
  void session.start(ticket);
  board.changed();
}

/** Whoever reloaded, or closed the tab and opened it again, was listening: no question is asked. */
async function begin(): Promise<void> {
  const self = recall();
  if (!self) return choose();
  app.replaceChildren(h("main", { class: "chooser" }, h("p", { class: "hint", role: "status" }, "Returning to your session…")));
  try {
    listen(self, await freshToken(self.session_id, self.client_secret), true);
  } catch {
    choose(); // says what became of the session, and offers what there is to do
  }
}

void begin();
