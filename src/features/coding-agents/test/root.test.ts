// Root has capabilities that bubblewrap leaves it: inside a sandbox its commands have none, and the kernel's settings are
// read-only. Nothing is written here: it is asked whether it could be.
import { expect, it } from "vitest";
import { playStandIn } from "./acp-stand-in.ts";
import {
  type CodingPlayground,
  codingPlayground,
  describeAgent,
  hasSandbox,
  inTurn,
  oneStep,
  REAL_AGENTS,
  told,
} from "./workshop.ts";

const play = codingPlayground();

const LOOK =
  "echo fine > fine.txt; chown 1:1 fine.txt && echo OWNER CHANGED; mknod device c 1 3 && echo DEVICE MADE; for one in $(find /proc/sys -maxdepth 3 -type f); do [ -w $one ] && echo WRITABLE $one; done; echo LOOKED";

const isRoot = process.getuid?.() === 0;

function expectNothing(at: CodingPlayground, events: Parameters<typeof told>[0]): void {
  const said = JSON.stringify(told(events, "agent_tool_complete"));
  expect(said).toContain("LOOKED");
  expect(said).not.toMatch(/WRITABLE|OWNER CHANGED|DEVICE MADE/);
  expect(at.files()).toEqual(["fine.txt"]);
}

for (const real of REAL_AGENTS)
  describeAgent(real.agent, "of root", () => {
    it.skipIf(!isRoot || !hasSandbox)("has no capabilities in its commands, and no kernel to set", async () => {
      const at = play();
      at.play = inTurn({ tools: [real.command(LOOK)] }, "done");
      at.write({ "main.yaml": oneStep(real, "prompt: Go.") });
      const { result, events } = await at.run("main.yaml");
      expect(result.errors).toEqual([]);
      expectNothing(at, events);
    });
  });

it.skipIf(!isRoot || !hasSandbox)("an agent by ACP has none either", async () => {
  const at = play();
  const { events } = await playStandIn(at, { acts: [{ run: LOOK }, { say: "done" }] });
  expectNothing(at, events);
});
