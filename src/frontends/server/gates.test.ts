// Gates on the page, and people who would go around them.
import { afterEach, describe, expect, it } from "vitest";
import { type Reply, Served } from "../../../test/support/served.ts";
import { resumeRun } from "../../services/runs/resume.ts";
import { type PeopleBook, personHere } from "../../services/session/people.ts";

const TOKENS = { alex: "alex-has-a-long-token-here", sam: "sam-has-a-long-token-as-well" };
const PEOPLE: PeopleBook = { people: { alex: { token: TOKENS.alex }, sam: { token: TOKENS.sam } }, groups: {} };

const gate = (more = ""): string => `workflow:
  name: deploys
  entry_point: ask
  input: { target: { type: string, default: staging } }
agents:
  - name: ask
    type: human_gate
    prompt: "Deploy to {{ workflow.input.target }}?"
    options: [{ label: "Yes", value: "yes", route: deploy }, { label: "No", value: "no", route: $end }]
    ${more}
  - { name: deploy, type: set, value: "{{ workflow.input.target }}", routes: [{ to: $end }] }
output: { deployed: "{{ deploy.output if deploy is defined else 'nowhere' }}" }
`;

let server: Served;
afterEach(() => server.close());

async function start(files: Readonly<Record<string, string>>): Promise<void> {
  server = await Served.start(files, {}, () => ({ project: { people: PEOPLE } }));
}

/** What one of them asks for. */
async function as(person: keyof typeof TOKENS) {
  const { body } = await server.post("/api/session", { token: TOKENS[person] });
  const authorization = `Bearer ${body.session}`;
  return {
    post: (path: string, given: object): Promise<Reply> => server.post(path, given, { authorization }),
    get: (path: string): Promise<Reply> => server.get(path, { authorization }),
  };
}

const rests = (run: string): Promise<unknown> =>
  expect.poll(async () => (await server.get(`/api/runs/${run}`)).body.status).not.toBe("running");
const seqOf = async (run: string): Promise<number> => (await server.get(`/api/runs/${run}`)).body.seq;
const waiting = async (run: string) =>
  (await server.get("/api/gates")).body.gates.find((one: { run_id: string }) => one.run_id === run);
const answerPath = ({ id }: { id: string }): string => `/api/gates/${encodeURIComponent(id)}`;

async function started(by: Awaited<ReturnType<typeof as>>, file: string, target = "staging"): Promise<string> {
  const { body } = await by.post("/api/runs", { file, inputs: { target } });
  await rests(body.run_id);
  return body.run_id;
}

it("says who one is signed in as, and whether one may answer, before one chooses", async () => {
  await start({ "deploy.yaml": gate("approvers: [alex]"), "both.yaml": gate("four_eyes: true") });
  const [alex, sam] = [await as("alex"), await as("sam")];
  await started(alex, "deploy.yaml");
  await started(alex, "both.yaml");
  const seenBy = async (one: { get(path: string): Promise<Reply> }) =>
    (await one.get("/api/gates")).body.gates.map(({ you }: { you: object }) => you);
  expect(await seenBy(alex)).toEqual([
    { person: "alex", may_answer: true, why_not: null },
    { person: "alex", may_answer: false, why_not: expect.stringContaining("alex started the run") },
  ]);
  expect(await seenBy(sam)).toEqual([
    { person: "sam", may_answer: false, why_not: "sam is not one of the approvers: alex" },
    { person: "sam", may_answer: true, why_not: null },
  ]);
  // Whoever has only the server's token acts as its user.
  expect(await seenBy(server)).toMatchObject([{ person: personHere(), may_answer: false }, { may_answer: true }]);
  expect((await alex.get("/api/session")).body).toMatchObject({ person: "alex", known_by: "token" });
  expect((await server.get("/api/session")).body).toMatchObject({ person: personHere(), known_by: "machine" });
});

describe("a gate with approvers that waits", () => {
  it.each([{ from: "ask" }, { force: true }, { inputs: { target: "PROD" } }])(
    "is not passed by a resume with %j, whoever asks for it",
    async (more) => {
      await start({ "deploy.yaml": gate("approvers: [alex]") });
      const [alex, sam] = [await as("alex"), await as("sam")];
      const run = await started(sam, "deploy.yaml");
      for (const person of [sam, alex]) {
        const reply = await person.post(`/api/runs/${run}/resume`, { seq: await seqOf(run), inputs: {}, ...more });
        expect(reply).toMatchObject({
          status: 400,
          body: { message: expect.stringContaining("waits at the gate ask") },
        });
      }
      expect(await sam.post(`/api/runs/${run}/resume`, { seq: await seqOf(run) })).toMatchObject({ status: 200 });
      await rests(run);
      const seen = await waiting(run);
      expect(await alex.post(answerPath(seen), { seq: seen.seq, value: "yes" })).toMatchObject({ status: 200 });
    },
  );

  it("is not passed the second time either, nor after the run was cancelled there", async () => {
    const loop = gate("approvers: [alex]").replace("[{ to: $end }]", "[{ to: ask }]");
    await start({ "deploy.yaml": loop });
    const [alex, sam] = [await as("alex"), await as("sam")];
    const run = await started(sam, "deploy.yaml");
    const seen = await waiting(run);
    await alex.post(answerPath(seen), { seq: seen.seq, value: "yes" });
    await expect.poll(async () => (await waiting(run))?.key).toBe("ask#2");
    await rests(run);
    await sam.post(`/api/runs/${run}/cancel`, { seq: await seqOf(run) });
    const passing = { seq: await seqOf(run), from: "deploy" };
    expect(await sam.post(`/api/runs/${run}/resume`, passing)).toMatchObject({ status: 400 });
  });

  it.each([
    ["a limit", "ask"],
    ["its deadline", "again"],
  ])("holds after %s has ended the run", async (_, last) => {
    const hasDeadline = last === "again";
    const again = `  - { name: again, type: human_gate, prompt: "Sure?", approvers: [alex], timeout: 1s, options: [{ label: "Yes", value: "yes", route: $end }] }`;
    const once = gate("approvers: [alex]").replace("[{ to: $end }]", `[{ to: ${last} }]`);
    await start({ "deploy.yaml": hasDeadline ? once.replace("output:", `${again}\noutput:`) : once });
    const [alex, sam] = [await as("alex"), await as("sam")];
    const run = await started(sam, "deploy.yaml");
    const seen = await waiting(run);
    expect(await alex.post(answerPath(seen), { seq: seen.seq, value: "yes" })).toMatchObject({ status: 200 });
    const key = hasDeadline ? "again#1" : "ask#2";
    // As the log has it: one with a deadline may be over before anybody has seen it wait.
    const timesAsked = async (): Promise<number> => {
      const { body } = await server.get(`/api/runs/${run}/events?type=gate_presented`);
      return body.events.filter(({ data }: { data: { key: string } }) => data.key === key).length;
    };
    await expect.poll(timesAsked).toBeGreaterThan(0);
    await rests(run);
    const resume = async (more: object): Promise<Reply> =>
      sam.post(`/api/runs/${run}/resume`, { seq: await seqOf(run), ...more });
    if (!hasDeadline) {
      expect((await resume({ max_iterations: 1 })).body.message).toContain("would end before it comes to it");
      await resumeRun(
        { ...server.session, project: { people: PEOPLE } },
        { target: run, inputs: {}, maxIterations: 1 },
      );
    }
    const status = async () => (await server.get(`/api/runs/${run}`)).body.status;
    await expect.poll(status).toBe("failed");
    for (const more of [{ from: "deploy" }, { force: true }, { inputs: { target: "PROD" } }])
      expect(await resume(more)).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining(`waits at the gate ${last}`) },
      });
    const before = await timesAsked();
    expect(await resume({})).toMatchObject({ status: 200 });
    await expect.poll(timesAsked).toBeGreaterThan(before);
  });

  it("lets go of the run where the workflow's own route leads on without an answer", async () => {
    const routed = gate("approvers: [alex]")
      .replace("approvers:", "timeout: 1s\n    routes: [{ to: late, on_error: gate.timeout }]\n    approvers:")
      .replace("output:", "  - { name: late, type: script, command: ./no-such-program }\noutput:");
    await start({ "deploy.yaml": routed });
    const sam = await as("sam");
    const run = await started(sam, "deploy.yaml");
    const status = async () => (await server.get(`/api/runs/${run}`)).body.status;
    await expect.poll(status).toBe("failed");
    const again = await sam.post(`/api/runs/${run}/resume`, { seq: await seqOf(run) });
    expect(again).toMatchObject({ status: 200 });
  });
});

describe("a gate with four_eyes", () => {
  it("is not answered by whoever gave the run other inputs, nor by its starter", async () => {
    await start({ "deploy.yaml": gate("four_eyes: true") });
    const [alex, sam] = [await as("alex"), await as("sam")];
    const run = await started(sam, "deploy.yaml");
    const inputs = { target: { value: "PROD" } };
    await resumeRun({ ...server.session, project: { people: PEOPLE }, person: "alex" }, { target: run, inputs });
    const seen = await waiting(run);
    const body = { seq: seen.seq, value: "yes" };
    expect((await alex.post(answerPath(seen), body)).body.message).toContain("alex resumed the run with other inputs");
    expect((await sam.post(answerPath(seen), body)).body.message).toContain("sam started the run");
    expect(await server.post(answerPath(seen), body)).toMatchObject({ status: 200 });
  });

  it("is answered by somebody who has not touched the file that was edited meanwhile", async () => {
    await start({ "deploy.yaml": gate("four_eyes: true") });
    const [alex, sam] = [await as("alex"), await as("sam")];
    const run = await started(sam, "deploy.yaml");
    server.write("deploy.yaml", gate("four_eyes: true").replace("nowhere", "not at all"));
    const seen = await waiting(run);
    expect(await alex.post(answerPath(seen), { seq: seen.seq, value: "yes" })).toMatchObject({ status: 200 });
    await expect.poll(async () => (await server.get(`/api/runs/${run}`)).body.status).toBe("completed");
  });
});

it("a gate is shown with the inputs that it is about now, who may answer it and until when", async () => {
  const rules = "approvers: [alex, sam]\n    four_eyes: true\n    timeout: 2h";
  await start({ "deploy.yaml": gate(rules).replace("Deploy to {{ workflow.input.target }}?", "Deploy?") });
  const sam = await as("sam");
  const run = await started(sam, "deploy.yaml");
  const inputs = { target: { value: "PROD" } };
  await resumeRun({ ...server.session, project: { people: PEOPLE }, person: "alex" }, { target: run, inputs });
  expect(await waiting(run)).toMatchObject({
    inputs: { target: "PROD" },
    approvers: ["alex", "sam"],
    four_eyes: true,
    not_by: ["sam", "alex"],
    deadline: expect.stringMatching(/^\d{4}-/),
  });
});

describe("an answer", () => {
  it.each(["approvers: [alex]", "four_eyes: true"])("is about the inputs that it was given for: %s", async (rule) => {
    const failing = gate(rule)
      .replace("Deploy to {{ workflow.input.target }}?", "Deploy?")
      .replace('type: set, value: "{{', 'type: script, command: "./{{');
    await start({ "deploy.yaml": failing });
    const [alex, sam] = [await as("alex"), await as("sam")];
    const run = await started(sam, "deploy.yaml");
    const seen = await waiting(run);
    expect(await alex.post(answerPath(seen), { seq: seen.seq, value: "yes" })).toMatchObject({ status: 200 });
    const status = async () => (await server.get(`/api/runs/${run}`)).body.status;
    await expect.poll(status).toBe("failed");
    await sam.post(`/api/runs/${run}/resume`, { seq: await seqOf(run), inputs: {} });
    await expect.poll(status).toBe("failed");
    expect(await waiting(run)).toBeUndefined();
    await sam.post(`/api/runs/${run}/resume`, { seq: await seqOf(run), inputs: { target: "PROD" } });
    await expect.poll(status).toBe("paused");
    expect(await waiting(run)).toMatchObject({ prompt: "Deploy?" });
  });

  it("counts for the question that was seen, and not for the one that it became", async () => {
    await start({ "deploy.yaml": gate() });
    const [alex, sam] = [await as("alex"), await as("sam")];
    const run = await started(sam, "deploy.yaml");
    const seen = await waiting(run);
    expect(seen.prompt).toBe("Deploy to staging?");
    await sam.post(`/api/runs/${run}/resume`, { seq: await seqOf(run), inputs: { target: "PROD" } });
    await rests(run);
    const now = await waiting(run);
    expect(now).toMatchObject({ id: seen.id, prompt: "Deploy to PROD?" });
    const stale = await alex.post(answerPath(seen), { seq: seen.seq, value: "yes" });
    expect(stale).toMatchObject({
      status: 409,
      body: {
        message: expect.stringMatching(/the question of ask has changed.*sam resumed the run with another target/),
        first: { what: "resumed", by: "sam" },
      },
    });
    expect((await waiting(run)).prompt).toBe("Deploy to PROD?");
    expect(await alex.post(answerPath(now), { seq: now.seq, value: "yes" })).toMatchObject({ status: 200 });
  });

  it("is none to a question that reads the same and is about other inputs", async () => {
    await start({ "deploy.yaml": gate().replace("{{ workflow.input.target }}?", "the target?") });
    const [alex, sam] = [await as("alex"), await as("sam")];
    const run = await started(sam, "deploy.yaml");
    const seen = await waiting(run);
    await sam.post(`/api/runs/${run}/resume`, { seq: await seqOf(run), inputs: { target: "PROD" } });
    await rests(run);
    expect((await alex.post(answerPath(seen), { seq: seen.seq, value: "yes" })).status).toBe(409);
  });

  it("counts after a resume that changed nothing, and not before there was a question", async () => {
    await start({ "deploy.yaml": gate() });
    const sam = await as("sam");
    const run = await started(sam, "deploy.yaml");
    const seen = await waiting(run);
    await sam.post(`/api/runs/${run}/resume`, { seq: await seqOf(run), inputs: {} });
    await rests(run);
    expect((await sam.post(answerPath(seen), { seq: 0, value: "yes" })).status).toBe(409);
    expect((await sam.post(answerPath(seen), { seq: seen.seq, value: "yes" })).status).toBe(200);
  });
});
