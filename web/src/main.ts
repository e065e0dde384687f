/** Puts the page together: the chooser first, then the board of one session. */
import "./styles/page.css";
import "./debug";
import type { Ticket } from "./net/api";
import type { Remembered } from "./net/memory";
import { Session } from "./session";
import { Board } from "./ui/board";
import { Chooser } from "./ui/chooser";

const app = document.getElementById("app") ?? document.body;

function choose(): void {
  const chooser = new Chooser(listen);
  app.replaceChildren(chooser.element);
  void chooser.load();
}

function listen(self: Remembered, ticket: Ticket): void {
  const board: Board = new Board(() => session, choose);
  const session = new Session(
    self,
    () => board.changed(),
    () => board.looked(),
  );
  app.replaceChildren(board.element);
  void session.start(ticket);
  board.changed();
}

choose();
