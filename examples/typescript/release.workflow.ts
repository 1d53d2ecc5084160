// The release of ../release.yaml once more, in TypeScript: the compiler knows the steps, what each of them gives, and which
// errors it raises. Planning is a function here; everything else runs the same scripts.
//
//   cd examples/typescript && segno trust
//   segno run release.workflow.ts
//   segno test
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineWorkflow, forEach, parallel, script, step, terminate, workflow } from "segno/workflow";

/** The scripts work in the folder of the other example. */
const node = { command: "node", working_dir: ".." };

const packaging = defineWorkflow({
  name: "package",
  input: { type: "object", properties: { version: { type: "string" } }, required: ["version"] },
})
  .step("collect", script({
    ...node,
    args: ["release/scripts/collect.mjs"],
    raises: [],
    output: { type: "object", properties: { files: { type: "array", items: { type: "string" } } }, required: ["files"] },
  }))
  .step("hash_each", ({ steps }) =>
    forEach(
      steps.collect.output.files,
      ({ item }) => script({ ...node, args: ["release/scripts/hash.mjs", item], raises: [] }),
      { max_concurrent: 4 },
    ))
  .step("archive", ({ input }) => script({
    ...node,
    args: ["release/scripts/archive.mjs", input.version],
    stdin: "{{ hash_each.outputs | tojson }}",
    raises: [],
    output: {
      type: "object",
      properties: { path: { type: "string" }, sha256: { type: "string" } },
      required: ["path", "sha256"],
    },
  }))
  .step("verify", ({ steps }) => script({
    ...node,
    args: ["release/scripts/verify.mjs", steps.archive.output.path],
    raises: ["package.corrupt"],
  }))
  .routes(({ collect, hash_each, archive, verify, end }) => [
    collect.to(hash_each),
    hash_each.to(archive),
    archive.to(verify),
    verify.to(end),
    // Once is bad luck: pack again. Twice is for the caller to know.
    verify.on("package.corrupt").to(archive, { retry: { max: 1, initial_seconds: 0 } }),
    verify.on("package.corrupt").propagate(),
  ])
  .output(({ steps }) => ({ archive: steps.archive.output.path, sha256: steps.archive.output.sha256 }));

export default defineWorkflow({
  name: "release",
  description: "Releases the little project in ../release/project.",
  input: {
    type: "object",
    properties: {
      bump: { type: "string", default: "minor", description: "which part of the version to raise: major, minor or patch" },
      calm: { type: "boolean", default: false, description: "true: the registry is not busy and nobody pushes meanwhile" },
    },
  },
  limits: { max_iterations: 40, timeout_seconds: 120 },
  hooks: { on_error: "the release stopped: {{ error.message }}" },
})
  .step("prepare", ({ input }) => script({
    ...node,
    args: ["release/scripts/prepare.mjs", input.calm],
    raises: [],
    output: { type: "object", properties: { version: { type: "string" } }, required: ["version"] },
  }))
  .step("plan", step(({ input, raise, workflow: { dir } }) => {
    const work = join(dir, "../release/work");
    const { version } = JSON.parse(readFileSync(join(work, "package.json"), "utf8")) as { version: string };
    const part = ["major", "minor", "patch"].indexOf(input.bump);
    if (part < 0) raise("release.bad_bump", `${input.bump} is no part of a version; say major, minor or patch`);
    const changes = readdirSync(join(work, "changes")).filter((name) => name.endsWith(".md"));
    if (changes.length === 0) raise("release.nothing_new", `${version} is up to date`, { version });
    const next = version.split(".").map((one, at) => (at < part ? one : at === part ? Number(one) + 1 : 0)).join(".");
    return { version: next, notes: changes.sort().map((name) => readFileSync(join(work, "changes", name), "utf8").trim()) };
  }, { raises: ["release.nothing_new", "release.bad_bump"] }))
  .step("checks", parallel({
    lint: script({ ...node, args: ["release/scripts/lint.mjs"] }),
    test: script({ command: "node", args: ["--test", "--test-reporter=tap", "work/test.mjs"], working_dir: "../release" }),
    links: script({ ...node, args: ["release/scripts/links.mjs"], raises: ["docs.broken_link"] }),
  }, { failure_mode: "all_or_nothing" }))
  .step("package", ({ steps }) => workflow(packaging, { version: steps.plan.output.version }))
  .step("upload", ({ steps }) => script({
    ...node,
    args: ["release/scripts/upload.mjs", steps.package.output.archive],
    timeout: 10,
    raises: ["registry.busy", "registry.refused"],
    output: { type: "object", properties: { attempts: { type: "number" } }, required: ["attempts"] },
  }))
  .step("tag", ({ steps }) => script({
    ...node,
    args: ["release/scripts/tag.mjs", `v${steps.plan.output.version}`],
    raises: ["vcs.drift"],
  }))
  .step("rebase", ({ error }) => script({
    ...node,
    args: ["release/scripts/rebase.mjs", error.details.head],
    raises: [],
  }))
  .step("published", ({ steps }) => terminate({
    status: "success",
    reason: `${steps.plan.output.version} is out`,
    output_template: {
      version: steps.plan.output.version,
      archive: steps.package.output.archive,
      sha256: steps.package.output.sha256,
      uploads_tried: steps.upload.output.attempts,
      notes: steps.plan.output.notes,
    },
  }))
  .step("up_to_date", ({ steps, error }) => terminate({
    status: "success",
    reason: error.message,
    output_template: { version: steps.prepare.output.version, released: false },
  }))
  .step("unfit", ({ error }) => terminate({
    status: "failed",
    reason: `not fit to be released: ${error.message}`,
    output_template: { kind: error.kind, where: error.raised_at.node },
  }))
  .routes(({ prepare, plan, checks, package: pack, upload, tag, rebase, published, up_to_date, unfit }) => [
    prepare.to(plan),
    plan.to(checks),
    // Nothing to release is no failure: the run ends here, on purpose.
    plan.on("release.nothing_new").to(up_to_date),
    plan.on("*").halt("cannot plan this release: {{ error.message }}"),
    checks.to(pack),
    checks.on("*").to(unfit),
    pack.to(upload),
    pack.on("package.corrupt").to(unfit),
    upload.to(tag),
    upload.on("registry.busy").retry({ max: 4, initial_seconds: 0.5, jitter: 0.2 }),
    upload.on("*").to(unfit),
    tag.to(published),
    tag.on("vcs.drift").to(rebase),
    rebase.to(tag),
  ]);
