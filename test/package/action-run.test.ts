// The action with `run:`: its steps are run with the variables that GitHub sets, and a folder in place of its cache.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { action, actionFolder, actionStep, runActionStep } from "../support/action.ts";

const TOKEN = "tok-5f1d0c7e9a";
const WORKFLOW = `
workflow:
  name: release
  entry_point: build
  input:
    version: { type: string, required: true }
    count: { type: number, default: 1 }
    token: { type: string, secret: true }
agents:
  - { name: build, type: script, command: sh, args: [build.sh, "{{ workflow.input.version }}"], routes: [{ to: publish }] }
  - name: publish
    type: script
    command: sh
    args: [publish.sh]
    env: { TOKEN: "{{ workflow.input.token }}" }
    raise_when: [{ kind: registry.down, when: exit_code == 1, message: "no answer\\n\`\`\`\\n::error::x" }]
    routes: [{ to: $end }]
output:
  built: "{{ build.output.stdout }}"
  count: "{{ workflow.input.count }}"
`;
const INPUTS = `version=@1.0=x\n\ncount=3\ntoken=${TOKEN}`;
const FILES = {
  "release.yaml": WORKFLOW,
  "build.sh": 'echo built >> built.txt\nprintf "%s" "$1"\n',
  "publish.sh": `test "$TOKEN" = ${TOKEN} && test -e up\n`,
};
const OWN = { pull_request: { head: { repo: { full_name: "me/it" } } } };

/** One job of a workflow of GitHub, over its attempts. Every attempt has a new machine; the cache is what stays. */
class Job {
  readonly dir: string;
  readonly cache: string;
  #attempt = 0;

  constructor(files: Readonly<Record<string, string>> = FILES) {
    this.dir = actionFolder(files);
    this.cache = join(this.dir, "cache");
  }

  /** The first step of an attempt, and what the others need of it. */
  plan(inputs: Readonly<Record<string, string>> = {}, event: unknown = { ref: "refs/heads/main" }) {
    this.#attempt += 1;
    const temp = join(this.dir, "temp");
    rmSync(temp, { recursive: true, force: true });
    mkdirSync(temp);
    const paths = Object.fromEntries(["output", "summary", "event"].map((name) => [name, join(temp, name)]));
    if (event !== null) writeFileSync(join(temp, "event"), JSON.stringify(event));
    const variables = {
      GITHUB_ACTIONS: "true",
      VERSION: "of the job",
      GITHUB_REPOSITORY: "me/it",
      GITHUB_RUN_ID: "77",
      GITHUB_JOB: "ship",
      GITHUB_RUN_ATTEMPT: String(this.#attempt),
      GITHUB_WORKSPACE: this.dir,
      RUNNER_TEMP: temp,
      GITHUB_EVENT_PATH: paths.event ?? "",
      GITHUB_OUTPUT: paths.output ?? "",
      GITHUB_STEP_SUMMARY: paths.summary ?? "",
    };
    const given = { run: "release.yaml", inputs: INPUTS, ...inputs };
    runActionStep("Plan", given, this.dir, {}, variables);
    return { temp, variables, given, plan: outputsIn(join(temp, "output")) };
  }

  attempt(...asked: Parameters<Job["plan"]>) {
    const { temp, variables, given, plan } = this.plan(...asked);
    const kept = join(plan.folder ?? "", "kept");
    const hasCache = plan.cache === "true";
    const newest = existsSync(this.cache) ? readdirSync(this.cache).sort().at(-1) : undefined;
    if (hasCache && newest?.startsWith(plan.prefix ?? "?")) cpSync(join(this.cache, newest), kept, { recursive: true });
    const known = Object.fromEntries(
      Object.entries(plan).map(([name, value]) => [`steps.plan.outputs.${name}`, value]),
    );
    const { status, stdout, stderr } = runActionStep("Run", given, this.dir, known, variables);
    if (hasCache && existsSync(kept)) cpSync(kept, join(this.cache, plan.key ?? ""), { recursive: true });
    const summary = existsSync(join(temp, "summary")) ? readFileSync(join(temp, "summary"), "utf8") : "";
    return { plan, status, stdout, stderr, summary, outputs: outputsIn(join(temp, "output")) };
  }

  /** Everything that is in the cache, as bytes. */
  cached(): string {
    if (!existsSync(this.cache)) return "";
    const entries = readdirSync(this.cache, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    return files.map((path) => `${path}\n${readFileSync(path, "latin1")}`).join("\n");
  }

  builds(): number {
    return readFileSync(join(this.dir, "built.txt"), "utf8").split("\n").length - 1;
  }
}

const outputsIn = (path: string): Record<string, string> =>
  Object.fromEntries(
    readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );

describe("the action, running a workflow", () => {
  it("annotates, sums up and gives outputs; a re-run of the job resumes from a cache without secrets", () => {
    const job = new Job();
    const failed = job.attempt({}, OWN);
    expect(failed.stdout).toBe(
      "::error file=release.yaml,line=11,col=5,title=registry.down::no answer%0A```%0A::error::x\n",
    );
    expect([failed.status, failed.outputs]).toEqual([
      3,
      expect.objectContaining({ status: "failed", "exit-code": "3", output: "null", "run-id": expect.any(String) }),
    ]);
    expect(failed.summary).toContain("❌ `release` failed");
    expect(failed.summary).toContain(
      "### `registry.down` · `publish` · `release.yaml:11`\n\n````\nno answer\n```\n::error",
    );
    expect(failed.summary).toMatch(/```mermaid\n%% release\n[^`]*class n2 bad\n/);
    expect(failed.summary).toContain("re-run the failed jobs: completed steps are reused. It goes on at `publish`.");
    expect(failed.summary).not.toContain("segno resume");
    expect(job.cached()).toContain("journal.db");
    expect(job.cached()).not.toMatch(new RegExp(`secrets\\.json|${TOKEN}`));

    const stillDown = job.attempt({}, OWN);
    expect([stillDown.status, job.builds()]).toEqual([3, 1]);
    expect(stillDown.summary).toContain("```mermaid");
    expect(job.cached()).not.toMatch(new RegExp(`secrets\\.json|${TOKEN}`));

    writeFileSync(join(job.dir, "up"), "");
    const resumed = job.attempt({}, OWN);
    expect([resumed.status, resumed.stdout, job.builds()]).toEqual([0, "", 1]);
    expect(resumed.outputs).toMatchObject({
      status: "completed",
      "exit-code": "0",
      "run-id": failed.outputs["run-id"],
      output: '{"built":"@1.0=x","count":3}',
    });
    expect(resumed.summary).toContain(", resumed · exit code 0");

    const again = job.attempt({}, OWN);
    expect([again.status, again.outputs.output, job.builds()]).toEqual([0, resumed.outputs.output, 1]);
    expect(job.cached()).not.toContain(TOKEN);
  });

  it("keeps no run in which a secret turned up, and then the next attempt starts anew", () => {
    const job = new Job({ ...FILES, "publish.sh": 'printf "%s" "$TOKEN" | base64\ntest -e up\n' });
    const { summary } = job.attempt();
    expect(summary).toContain("starts the workflow anew: a step printed or returned a secret");
    expect(job.cached()).not.toMatch(
      new RegExp(`journal|${TOKEN}|${Buffer.from(TOKEN).toString("base64").slice(0, 12)}`),
    );
    job.attempt();
    expect(job.builds()).toBe(2);
  });

  const FORK = { pull_request: { head: { repo: { full_name: "you/it" } } } };
  it.each([
    ["a pull request of a fork", FORK, {}],
    ["a fork that was deleted", { pull_request: { head: { repo: null } } }, {}],
    ["a workflow after a fork's", { workflow_run: { head_repository: { full_name: "you/it" } } }, {}],
    ["a comment on a pull request", { issue: { pull_request: {} } }, {}],
    ["an event that is not there", null, {}],
    ["resume: false", OWN, { resume: "false" }],
  ])("uses no cache for %s", (_, event, inputs) => {
    expect(new Job().plan(inputs, event).plan.cache).toBe("false");
    for (const name of ["Restore", "Save"])
      expect(actionStep(name)?.if).toContain("steps.plan.outputs.cache == 'true'");
  });

  it.each([
    ["of forks are not kept, nor where the event does not say whose", FORK, {}],
    ['`resume` is not "true"', OWN, { resume: "false" }],
  ])("without a cache says why: %s", (why, event, inputs) => {
    expect(new Job().attempt(inputs, event).summary).toContain(why);
  });

  it("takes inputs as JSON, and says what is wrong with them and with the file", () => {
    const job = new Job();
    writeFileSync(join(job.dir, "up"), "");
    const inputs = JSON.stringify({ version: "a\nb", token: TOKEN });
    expect(job.attempt({ inputs, resume: "false" }).outputs.output).toBe('{"built":"a\\nb","count":1}');
    expect(job.attempt({ inputs: "version 1", resume: "false" })).toMatchObject({
      status: 2,
      stdout: expect.stringMatching(/^::error title=segno::Line 1 of `inputs` is not name=value\./),
    });
    writeFileSync(join(job.dir, "release.yaml"), WORKFLOW.replace("to: publish", "to: publsh"));
    const invalid = job.attempt({ resume: "false" });
    expect([invalid.status, invalid.outputs.status, invalid.outputs["run-id"]]).toEqual([2, "invalid", ""]);
    expect(invalid.stdout).toMatch(/^::error file=release\.yaml,line=10,col=\d+,title=unknown-step::/);
    expect(invalid.summary).toContain("### `unknown-step`");
  });

  it("keeps the run of a job that is cancelled, and a re-run resumes it", () => {
    const cancel = `test -e up && exit 0
pid=$$
until tr '\\0' ' ' < /proc/$pid/cmdline | grep -q "action.mjs run"; do pid=$(cut -d ' ' -f 4 /proc/$pid/stat); done
kill -INT $pid
sleep 600
`;
    const job = new Job({ ...FILES, "publish.sh": cancel });
    const cancelled = job.attempt();
    expect([cancelled.status, cancelled.outputs.status]).toEqual([130, "cancelled"]);
    expect(cancelled.summary).toContain("re-run the failed jobs");
    writeFileSync(join(job.dir, "up"), "");
    expect([job.attempt().status, job.builds()]).toEqual([0, 1]);
  });

  it("says that a gate cannot be answered in a job", () => {
    const gate = `
workflow: { name: ask, entry_point: ship }
agents:
  - { name: ship, type: human_gate, prompt: "Ship it?", options: [{ label: "Yes", value: "yes", route: $end }] }
`;
    const { status, outputs, summary } = new Job({ "release.yaml": gate }).attempt({ inputs: "" });
    expect([status, outputs.status]).toEqual([4, "paused"]);
    expect(summary).toContain("It waits for an answer at `ship`: no one can be asked in a job");
  });

  it("gives every output of the step, nothing of its own to the workflow, and keeps the cache apart from the store", () => {
    for (const [name, { value }] of Object.entries(action.outputs))
      expect(value).toBe(`\${{ steps.run.outputs.${name} }}`);
    const job = new Job({ ...FILES, "build.sh": "env | grep -e ^VERSION= -e SEGNO_ACTION -e tok- > env.txt\n" });
    const { folder = "", key, prefix } = job.attempt().plan;
    expect(readFileSync(join(job.dir, "env.txt"), "utf8")).toBe("VERSION=of the job\n");
    expect(job.attempt({ key: "eu, west" }).plan.prefix).toBe("segno-77-ship+eu__west-0-1-release.yaml-");
    expect([key, prefix]).toEqual(["segno-77-ship-0-1-release.yaml-1", "segno-77-ship-0-1-release.yaml-"]);
    expect(readdirSync(folder).sort()).toEqual(["home", "kept"]);
    for (const name of ["Restore", "Save"])
      expect(actionStep(name)?.with?.path).toBe("${{ steps.plan.outputs.folder }}/kept");
  });
});
