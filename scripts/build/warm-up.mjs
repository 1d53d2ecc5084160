// Uses the fresh program once, so that it keeps its compiled code for whoever starts it next.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SAMPLE = "scripts/build/warm-up.yaml";
/** Has mistakes, which are explained by schemas. */
const WRONG = "scripts/build/warm-up-wrong.yaml";

export function warmUp() {
  const home = mkdtempSync(join(tmpdir(), "segno-warm-"));
  const { NODE_OPTIONS: _, ...env } = process.env;
  try {
    for (const args of [
      ["run", "-i", "who=you", SAMPLE],
      ["validate", SAMPLE],
      ["validate", WRONG],
    ])
      spawnSync(process.execPath, ["dist/main.cjs", ...args], {
        env: { ...env, SEGNO_HOME: home },
        stdio: ["ignore", "pipe", "pipe"],
        timeout: 60_000,
      });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
