/** Puts the page together: the chooser first, then the board of one session; a session that still lives comes back by itself. */
import "./styles/page.css";
import "./debug";
import { freshToken, type Ticket } from "./net/api";
import { entered, invited } from "./net/invitation";
import { recall, remember, type Remembered } from "./net/memory";
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

/** Whoever reloaded, closed the tab and opened it again, or follows a live team's link wants to listen: no question is asked. */
async function begin(): Promise<void> {
  const invitation = invited(location.hash);
  if (invitation) {
    history.replaceState(null, "", location.pathname + location.search);
  }
  const known = recall();
  const self = entered(invitation, known);
  if (self && self !== known) remember(self);
  if (!self) return choose();
  app.replaceChildren(h("main", { class: "chooser" }, h("p", { class: "hint", role: "status" }, invitation ? "Joining the session…" : "Returning to your session…")));
  try {
    listen(self, await freshToken(self.session_id, self.client_secret), true);
  } catch {
    choose(); // says what became of the session, and offers what there is to do
  }
}

addEventListener("hashchange", () => {
  if (invited(location.hash)) location.reload(); // the link was pasted into a tab that has the page already
});

void begin();
