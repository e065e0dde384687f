import { expect, test } from "vitest";
import base from "../src/styles/base.css?raw";
import board from "../src/styles/board.css?raw";
import tokens from "../src/styles/tokens.css?raw";

const [light = "", dark = ""] = tokens.split("@media");
const colour = (scheme: string, name: string): string => new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(scheme)?.[1] ?? "";
const outline = (sheet: string, selector: string): string =>
  new RegExp(`^${selector} \\{[^}]*outline(?:-color)?: [^;]*var\\(--([\\w-]+)\\)`, "m").exec(sheet)?.[1] ?? "";

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** WCAG 2.2, 1.4.11: what shows the focus stands out by 3:1. */
test.each([
  ["light", light],
  ["dark", dark],
])("the focus is seen on every surface, %s", (_name, scheme) => {
  const usual = colour(scheme, outline(base, ":focus-visible"));
  const onRed = colour(scheme, outline(board, ".critical :focus-visible"));
  for (const surface of ["ground", "surface", "accent-wash", "warn-wash", "critical-wash"]) {
    expect(contrast(usual, colour(scheme, surface)), surface).toBeGreaterThan(3);
  }
  expect(contrast(onRed, colour(scheme, "critical"))).toBeGreaterThan(3);
});
