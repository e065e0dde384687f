import { expect, test } from "vitest";
import { entered, invited } from "../src/net/invitation";

test("a live team's link holds a session and its secret", () => {
  expect(invited("#session=s-abc&secret=x_y-z")).toMatchObject({ session_id: "s-abc", client_secret: "x_y-z" });
});

test.each(["", "#", "#session=s-abc", "#secret=x", "#session=&secret=x"])("%s is no invitation", (hash) => {
  expect(invited(hash)).toBeNull();
});

test("a link goes before another session that the browser remembers", () => {
  const link = invited("#session=s-new&secret=x")!;
  const old = { ...link, session_id: "s-old", command_seq: 7 };
  expect(entered(link, old)).toBe(link);
  expect(entered(link, null)).toBe(link);
});

test("of the link's own session, and without a link, what is remembered counts", () => {
  const link = invited("#session=s-new&secret=x")!;
  const known = { ...link, command_seq: 7 };
  expect(entered(link, known)).toBe(known);
  expect(entered(null, known)).toBe(known);
  expect(entered(null, null)).toBeNull();
});
