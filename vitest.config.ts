import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Many tests start real processes and servers: a busy CI machine gets a second try, a developer's does not.
    retry: process.env.CI ? 1 : 0,
    // Every test process starts from the same plain environment; a user's home store is never touched.
    env: { SEGNO_HOME: "/nonexistent/segno-tests-must-choose-a-home", NO_COLOR: "1" },
  },
});
