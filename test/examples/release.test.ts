// The README's first command, for real: trouble included, it gets through, and leaves nothing outside its folder.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runWorkflow } from "../../src/services/runs/run.ts";

it("releases the little project although the registry is busy and somebody pushes meanwhile", async () => {
  const home = mkdtempSync(join(tmpdir(), "segno-release-"));
  try {
    const result = await runWorkflow(
      { cwd: process.cwd(), env: { PATH: process.env.PATH, HOME: home }, home },
      { file: "examples/release.yaml", inputs: {} },
    );
    expect(result).toMatchObject({
      status: "terminated",
      success: true,
      output: { version: "1.5.0", uploads_tried: 3 },
      termination: { terminated_by: "published" },
    });
    expect(result.execution?.steps.find(({ node_id }) => node_id === "tag")).toMatchObject({ status: "completed" });
    expect(result.warnings.map(({ kind }) => kind)).toContain("vcs.drift");
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
