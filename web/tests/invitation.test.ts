import { expect, test } from "vitest";
import { linked, newSecret } from "../src/net/invitation";

test("a live team's link holds a session and an invitation", () => {
  expect(linked("#session=s-abc&invitation=x_y-z")).toEqual({ session_id: "s-abc", code: "x_y-z" });
});

test.each(["", "#", "#invitation=x", "#session=&invitation=x"])("%s is no link", (hash) => {
  expect(linked(hash)).toBeNull();
});

test("a link that brings its own secret brings nothing", () => {
  expect(linked("#session=s-abc&secret=x")).toEqual({ session_id: "s-abc", code: "" });
});

test("a secret is of 32 random bytes, in the form that the server takes", () => {
  const made = Array.from({ length: 50 }, newSecret);
  expect(new Set(made).size).toBe(50);
  for (const secret of made) expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
});
