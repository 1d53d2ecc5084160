import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is polled for comes late on a busy machine; one second, the default, is often too little for a browser.
    expect: { poll: { timeout: 15_000 } },
    // Many tests wait for processes of their own: also on two cores two files side by side take less time than one by one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Every test process starts from the same plain environment; a user's home store is never touched.
    env: { SEGNO_HOME: "/nonexistent/segno-tests-must-choose-a-home", NO_COLOR: "1" },
  },
});
