import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Every test process starts from the same plain environment; a user's home store is never touched.
    env: { SEGNO_HOME: "/nonexistent/segno-tests-must-choose-a-home", NO_COLOR: "1" },
  },
});
