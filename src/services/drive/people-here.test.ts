// Who is asked in this process: the person of the project that its user is, and nobody else, whatever the answer says.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Unsigned } from "../../engine/people/ask.ts";
import { gates, type RunOptions, run } from "../../index.ts";
import { answerGate, listGates } from "../gates/gates.ts";
import type { AskedPerson, FaceAsker, RunOrigin } from "../request.ts";
import { resumeRun } from "../runs/resume.ts";
import { runWorkflow } from "../runs/run.ts";
import { personHere } from "../session/people.ts";
import { withStore } from "../session/store.ts";

const ME = personHere();
const PROJECT = `people: { kim: { user: "${ME}" }, sam: { user: sam@elsewhere } }\ngroups: { release: [kim] }\n`;
const gate = (rules: string): string => `
workflow: { name: ship, entry_point: approve }
agents:
  - name: approve
    type: human_gate
    prompt: Ship it?
    options: [{ label: "Yes", value: "yes", route: $end }, { label: "No", value: "no", route: $end }]
    ${rules}
output: { chosen: "{{ approve.output.selected }}" }
`;

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "segno-people-"));
  writeFileSync(join(cwd, "segno.yaml"), PROJECT);
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const where = () => ({ cwd, env: {}, home: join(cwd, "home") });
const YES: Unsigned = { kind: "gate", value: "yes", additional_input: {} };

/** Runs it with somebody at the terminal who says yes unless they are told that they may not. */
async function atTerminal(rules: string, origin: RunOrigin = {}) {
  writeFileSync(join(cwd, "ship.yaml"), gate(rules));
  const asked: AskedPerson[] = [];
  const recorded: Record<string, unknown>[] = [];
  const ask: FaceAsker = async (_, _signal, one) => {
    asked.push(one);
    return one.refusal === undefined ? YES : undefined;
  };
  const result = await runWorkflow(
    where(),
    { file: "ship.yaml", inputs: {}, origin },
    { ask, on: ({ type, data }) => void recorded.push({ type, ...data }) },
  );
  return { result, asked, recorded };
}

const waiting = async () => (await listGates(where())).gates.map(({ node_id }) => node_id);

describe("at a terminal", () => {
  it.each([
    ["by the name in the project", "approvers: [kim]"],
    ["by a group", 'approvers: ["@release"]'],
    ["by the user on this machine", `approvers: ["${ME}"]`],
  ])("a person who is an approver %s is asked, and the answer counts in their name", async (_, rules) => {
    const { result, asked, recorded } = await atTerminal(rules);
    expect(asked).toMatchObject([{ person: "kim" }]);
    expect(asked[0]?.refusal).toBeUndefined();
    expect(result).toMatchObject({ status: "completed", output: { chosen: "yes" } });
    expect(recorded.find(({ type }) => type === "gate_resolved")).toMatchObject({
      answered_by: "kim",
      answered_via: "terminal",
    });
  });

  it("a person who may not answer is told who may and how, and the question stays open", async () => {
    const { result, asked } = await atTerminal("approvers: [sam]");
    expect(asked[0]?.refusal).toBe(
      `approve needs an answer from sam. You are kim, who is not an approver. They answer with: segno gate answer ${result.run_id} VALUE`,
    );
    expect(result.status).toBe("paused");
    expect(await waiting()).toEqual(["approve"]);
  });

  it.each([["kim"], [ME]])(
    "with four_eyes the starter, recorded as %s, is told that somebody else has to answer",
    async (startedBy) => {
      const { result, asked } = await atTerminal("four_eyes: true", { startedBy });
      expect(asked[0]?.refusal).toContain(
        `approve needs an answer from someone other than ${startedBy}. You are kim, who started the run (four_eyes).`,
      );
      expect(result.status).toBe("paused");
    },
  );

  it("the person is known by the uid of the process, and not by what the environment says", () => {
    for (const name of ["USER", "LOGNAME", "USERNAME"]) vi.stubEnv(name, "sam");
    vi.stubEnv("HOSTNAME", "elsewhere");
    try {
      expect(personHere()).toBe(`${userInfo({ encoding: "utf8" }).username}@${hostname()}`);
      expect(personHere()).not.toContain("sam");
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe("an answer that does not count", () => {
  it("leaves the question open, for those whose answer does", async () => {
    writeFileSync(join(cwd, "ship.yaml"), gate("approvers: [sam]"));
    const refused: unknown[] = [];
    const { run_id, status } = await runWorkflow(
      where(),
      { file: "ship.yaml", inputs: {} },
      {
        // A face that asks although it was told not to.
        ask: async () => YES,
        on: ({ type, data }) => void (type === "gate_refused" && refused.push(data)),
      },
    );
    expect(status).toBe("paused");
    expect(refused).toMatchObject([{ answered_by: "kim", reason: "kim is not one of the approvers: sam" }]);
    expect(await waiting()).toEqual(["approve"]);
    const answer = { ...where(), run: run_id ?? "", value: "yes", inputs: {} };
    expect(await answerGate(answer, answer)).toMatchObject({ exit_code: 2 });
    expect(await answerGate({ ...answer, person: "sam" }, answer)).toMatchObject({ status: "completed" });
  });

  it("is taken away when it got into the store all the same, and the question is asked again", async () => {
    const { result } = await atTerminal("approvers: [sam]");
    const runId = result.run_id ?? "";
    const forged = { ...YES, by: "cli", person: "kim" };
    await withStore(where(), async ({ state: { gates: kept } }) => {
      const [open] = await kept.pending(runId);
      expect(await kept.answer(runId, open?.key ?? "", forged)).toBe("ok");
    });
    expect(await waiting()).toEqual([]);
    expect(await resumeRun(where(), { target: runId, inputs: {} })).toMatchObject({ status: "paused" });
    expect(await waiting()).toEqual(["approve"]);
  });
});

describe("a program that answers with `ask`", () => {
  const program = () => ({ cwd, env: {}, store: { home: where().home } });
  /** More than the types allow: a program in JavaScript may say anything. */
  const runWith = (answer: object, rules: string) => {
    writeFileSync(join(cwd, "ship.yaml"), gate(rules));
    const ask = (async () => ({ ...YES, ...answer })) as RunOptions["ask"] & object;
    const recorded: Record<string, unknown>[] = [];
    const on = ({ type, data }: { type: string; data: object }): void => void recorded.push({ type, ...data });
    return run("ship.yaml", { ...program(), ask, on }).then((result) => ({ result, recorded }));
  };

  it.each([
    { by: "scenario" },
    { by: "timeout" },
    { by: "sam" },
    { by: "terminal", person: "sam" },
    { by: "library", person: "sam@elsewhere", user: "sam@elsewhere" },
    { by: "skip-gates", person: undefined },
  ])("is not let through approvers with %j", async (answer) => {
    const { result, recorded } = await runWith(answer, "approvers: [sam]");
    expect(result.status).toBe("paused");
    expect(recorded.find(({ type }) => type === "gate_refused")).toMatchObject({ answered_by: "kim" });
    expect((await gates.list(program())).gates).toHaveLength(1);
  });

  it("answers as the user of its process, and who it says it is recorded as a claim", async () => {
    const { result, recorded } = await runWith({ by: "scenario" }, "approvers: [kim]");
    expect(result.status).toBe("completed");
    expect(recorded.find(({ type }) => type === "gate_resolved")).toMatchObject({
      answered_by: "kim",
      answered_via: "library",
      claimed_by: "scenario",
    });
  });

  it("cannot change who may answer by changing the question", async () => {
    writeFileSync(join(cwd, "ship.yaml"), gate("approvers: [sam]\n    four_eyes: true"));
    const ask = (async (question: Record<string, unknown>) => {
      question.approvers = ["kim"];
      question.not_by = undefined;
      return YES;
    }) as unknown as RunOptions["ask"] & object;
    expect((await run("ship.yaml", { ...program(), ask })).status).toBe("paused");
  });

  it("is not the other pair of eyes of its own run", async () => {
    expect((await runWith({ by: "sam", person: "sam" }, "four_eyes: true")).result.status).toBe("paused");
  });
});
