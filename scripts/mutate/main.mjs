// How much the tests protect: makes small changes of meaning, and says which tier of tests notices each.
//
//   npm run mutate                     60 changes, seed 1
//   npm run mutate -- --seed 7 --count 20
//   npm run mutate -- --only 3,17      these of them, with the same seed
//   npm run mutate -- --fast           asks npm test alone: a third of the time
//   npm run mutate -- --beyond --only 3,17   asks what test:all has beyond it alone: for what survived --fast
//
// A change that `npm run check` refuses is noticed by `npm test`. For the others one run of everything without any change
// records which test files come by which of them: the rest cannot notice it, and is not run again for it.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { PAGE, TESTS } from "../places.mjs";
import { choose } from "./choose.mjs";
import { applied, isOfPage, makeCopy, record, wake } from "./copy.mjs";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "60" },
    only: { type: "string" },
    fast: { type: "boolean", default: false },
    beyond: { type: "boolean", default: false },
    out: { type: "string", default: "coverage/mutate.json" },
  },
});
const tiers = [
  { name: "npm test", project: "fast-*", isAsked: !values.beyond },
  { name: "test:all", project: "all*", isAsked: !values.fast },
].filter(({ isAsked }) => isAsked);
const files = execFileSync("git", ["ls-files"], { encoding: "utf8" }).trim().split("\n");
const tracked = files.filter((file) => existsSync(file));
const mutants = choose(tracked, { count: Number(values.count), seed: Number(values.seed) });
const wanted = values.only?.split(",").map(Number);
const copy = makeCopy(tracked, mutants);
const timeline = join(copy, ".mutate/timeline");

try {
  console.log(`${mutants.length} changes, seed ${values.seed}; building and recording which tests come by them …`);
  build();
  const reach = recordReach();
  const told = mutants.filter(({ id }) => wanted?.includes(id) ?? true).map((mutant) => judged(mutant, reach));
  report(told, reach.brokenBefore);
} finally {
  rmSync(copy, { recursive: true, force: true });
}

function build(...args) {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/build.mjs", ...args], {
    cwd: copy,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
}

/** Runs test files in the copy; whether all of them passed. */
function passes(args, isWhole = false) {
  const bail = isWhole ? [] : ["--bail=1"];
  rmSync(timeline, { force: true });
  const { status } = spawnSync(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", "--reporter=./scripts/mutate/timeline.mjs", ...bail, ...args],
    { cwd: copy, env: { ...process.env, MUTATE_TIMELINE: timeline }, stdio: "ignore" },
  );
  return status === 0;
}

/** Which test files come by each change; a process of a test's own is of all files that ran at that moment. */
function recordReach() {
  record(copy, true);
  passes(
    tiers.map(({ project }) => `--project=${project}`),
    true,
  );
  record(copy, false);
  const ran = lines(timeline).map((line) => JSON.parse(line));
  const reachedBy = new Map(mutants.map(({ id }) => [id, new Set()]));
  for (const line of lines(join(copy, ".mutate/reached"))) {
    const [id, at, file] = line.split(" ");
    const by = reachedBy.get(Number(id));
    if (file) by.add(file.slice(copy.length + 1));
    else for (const one of ran) if (one.began <= at && at <= one.ended) by.add(one.file);
  }
  return {
    reachedBy,
    all: ran.map(({ file }) => file),
    brokenBefore: new Set(ran.filter(({ ok }) => !ok).map(({ file }) => file)),
  };
}

function judged(mutant, { reachedBy, all, brokenBefore }) {
  const text = readFileSync(mutant.file, "utf8");
  const line = text.slice(0, mutant.start).split("\n").length;
  const verdict = verdictOf(
    mutant,
    applied(text, mutant),
    (file) => reachedBy.get(mutant.id).has(file),
    all,
    brokenBefore,
  );
  console.log(
    `${mutant.id}\t${verdict}\t${mutant.file}:${line}\t${oneLine(mutant.before)}  →  ${oneLine(mutant.after)}`,
  );
  return { ...mutant, line, verdict };
}

function verdictOf(mutant, changed, isReached, all, brokenBefore) {
  if (isRefusedByCheck(mutant.file, changed)) return "check";
  // What a module works out while it is loaded is worked out once for all files of a worker; a browser tells nothing.
  const isAnywhere = mutant.isTopLevel || isOfPage(mutant);
  const mayNotice = all.filter(
    (file) => !brokenBefore.has(file) && (isReached(file) || (isAnywhere && mayLoad(mutant, file))),
  );
  if (mayNotice.length === 0) return "survived";
  if (isOfPage(mutant)) {
    writeFileSync(join(copy, mutant.file), changed);
    build("--page");
  } else wake(copy, mutant.id);
  try {
    const tier = tiers.find(({ project }) => noticedBy(mayNotice, project, mutant));
    return tier?.name ?? "survived";
  } finally {
    if (isOfPage(mutant)) writeFileSync(join(copy, mutant.file), readFileSync(mutant.file, "utf8"));
    else wake(copy, 0);
  }
}

function mayLoad(mutant, file) {
  return !isOfPage(mutant) || [PAGE.folder, TESTS.page].some((folder) => file.startsWith(`${folder}/`));
}

/** First by the tests that stand beside it: most changes are noticed there, in a moment. */
function noticedBy(names, project, mutant) {
  const isNear = (name) => dirname(name) === dirname(mutant.file);
  const fail = (some) => some.length > 0 && !passes([`--project=${project}`, "--passWithNoTests", ...some]);
  return fail(names.filter(isNear)) || fail(names.filter((name) => !isNear(name)));
}

/** Types and lint, with the change written into the copy as by hand. */
function isRefusedByCheck(file, changed) {
  const at = join(copy, file);
  const kept = readFileSync(at, "utf8");
  writeFileSync(at, changed);
  const node = (...args) => spawnSync(process.execPath, args, { cwd: copy, encoding: "utf8" }).stdout;
  const project = isOfPage({ file }) ? PAGE.folder : ".";
  const known = ["--incremental", "--tsBuildInfoFile", `.mutate/${project.replaceAll("/", "-")}.tsbuildinfo`];
  const types = node("node_modules/typescript/bin/tsc", "--noEmit", "--pretty", "false", ...known, "-p", project);
  const lint = spawnSync(
    process.execPath,
    ["node_modules/@biomejs/biome/bin/biome", "lint", "--error-on-warnings", file],
    { cwd: copy },
  );
  writeFileSync(at, kept);
  return types.split("\n").some((line) => line.startsWith(file)) || lint.status !== 0;
}

function report(judged, brokenBefore) {
  const counts = {};
  for (const { verdict } of judged) counts[verdict] = (counts[verdict] ?? 0) + 1;
  const share = (...verdicts) =>
    `${Math.round((100 * verdicts.reduce((sum, name) => sum + (counts[name] ?? 0), 0)) / judged.length)} %`;
  console.log(
    `\nnoticed by npm test ${share("check", "npm test")}, with test:all ${share("check", "npm test", "test:all")}`,
  );
  console.log(
    Object.entries(counts)
      .map(([verdict, count]) => `${verdict} ${count}`)
      .join(", "),
  );
  if (brokenBefore.size > 0) console.log(`left out, since they fail in a copy: ${[...brokenBefore].join(", ")}`);
  mkdirSync(join(values.out, ".."), { recursive: true });
  writeFileSync(values.out, JSON.stringify(judged, null, 1));
}

function oneLine(text) {
  return text.replace(/\s+/g, " ").slice(0, 70);
}

function lines(file) {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
}
