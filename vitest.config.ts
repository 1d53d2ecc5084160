// One project for each way in which test files are run; test/tiers.ts says which file is in which.
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { DOORS } from "./scripts/places.mjs";
import { PROJECTS } from "./test/tiers.ts";

export default defineConfig({
  // The page is JSX, and so are the pages of features.
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  // Workflows in TypeScript take in the package by its name.
  resolve: { alias: { "segno/workflow": resolve(DOORS.workflow) } },
  test: {
    projects: PROJECTS.map(({ name, include, exclude, isolate, globalSetup }) => ({
      extends: true as const,
      test: {
        name,
        include: [...include],
        exclude: [...exclude],
        isolate,
        pool: "forks" as const,
        ...(globalSetup === undefined ? {} : { globalSetup }),
      },
    })),
    // What vite makes of a source file is kept, by its content: each project, and the next run, would make the same again.
    experimental: { fsModuleCache: true, fsModuleCachePath: resolve("node_modules/.cache/vitest") },
    // To end what hangs: a machine that is busy with other things takes a minute for what takes three seconds.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // What is polled for comes late on a busy machine; one second, the default, is often too little.
    expect: { poll: { timeout: 150_000 } },
    // Many tests wait for processes of their own: also on two cores four files side by side take less time than two.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    // Every test process starts from the same plain environment; a user's home store is never touched.
    env: { SEGNO_HOME: "/nonexistent/segno-tests-must-choose-a-home", NO_COLOR: "1" },
    // A failure fits a screen: of a large difference, its beginning.
    diff: { truncateThreshold: 60 },
  },
});
