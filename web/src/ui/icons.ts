/** Line icons on a 20 × 20 grid, drawn here so that nothing is fetched. Decorative: words stand beside each. */

const PATHS = {
  queued: "M10 5v5l3 2M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15",
  speaking: "M3 8v4M6.5 5.5v9M10 3v14M13.5 5.5v9M17 8v4",
  held: "M7 4.5v11M13 4.5v11",
  spoken: "M4 10.5l4 4 8-9",
  cut: "M4 10h5M12 6l4 8M16 6l-4 8",
  superseded: "M4 7h9l-3-3M16 13H7l3 3",
  expired: "M6 3h8M6 17h8M7 3c0 4 6 5 6 7s-6 3-6 7M13 3c0 4-6 5-6 7s6 3 6 7",
  cancelled: "M5 5l10 10M15 5L5 15",
  failed: "M10 4v8M10 15.5v.5",
  unknown: "M10 15.5v.5M7.5 7.5a2.5 2.5 0 1 1 3.5 2.3c-.7.4-1 .9-1 2.2",
  page: "M5 2.5h7l3 3v12H5zM8 9h4M8 12.5h4",
  critical: "M10 3l8 14H2zM10 8v4M10 14.5v.3",
  leave: "M8 3H4v14h4M8 10h9M14 6.5l3.5 3.5-3.5 3.5",
  down: "M10 4v12M5 11l5 5 5-5",
  sound: "M3 8v4h3l4 4V4L6 8zM13 7.5c1.5 1.5 1.5 3.5 0 5M15.5 5c3 3 3 7 0 10",
  notice: "M10 9v5M10 6v.3M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15",
  mic: "M10 2.5a2.5 2.5 0 0 0-2.5 2.5v5a2.5 2.5 0 0 0 5 0V5A2.5 2.5 0 0 0 10 2.5M5 9.5a5 5 0 0 0 10 0M10 14.5v3",
  micOff: "M7.5 7.5V10a2.5 2.5 0 0 0 4 2M12.5 9V5a2.5 2.5 0 0 0-4.8-1M5 9.5a5 5 0 0 0 7.8 4.1M15 9.5a5 5 0 0 1-.4 2M10 14.5v3M3 3l14 14",
  stop: "M5 5h10v10H5z",
  go: "M6 4l10 6-10 6z",
  next: "M4 4.5l8 5.5-8 5.5zM15.5 4.5v11",
  repeat: "M4 10a6 6 0 1 0 2-4.5M6 2.5v3h3",
} as const;

export type Icon = keyof typeof PATHS;

const SVG = "http://www.w3.org/2000/svg";

export function icon(name: Icon): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}
