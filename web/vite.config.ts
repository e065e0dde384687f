import { defineConfig } from "vitest/config";

// The API serves dist/ under a strict Content-Security-Policy: no inlined scripts, styles or data: assets.
export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    outDir: "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
  },
  worker: { format: "es" },
  // A context a file, all in one process: as separate as with a process a file, for a third of the processor time.
  test: {
    include: ["tests/**/*.test.ts"],
    environment: "node",
    css: true,
    testTimeout: 60_000, // beside all other tests it gets a tenth of a core
    hookTimeout: 60_000,
    pool: "vmThreads",
    poolOptions: { vmThreads: { singleThread: true } },
  },
});
