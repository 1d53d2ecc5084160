// What action.yml does with `run:`. `plan` decides where the run is kept and whether a re-run of the job may resume it; `run`
// runs or resumes the workflow, and writes annotations, the job's summary and the action's outputs.
//
// Two folders: `home` is the store, `kept` is what GitHub's cache gets: the run's folder without `secrets.json`. Pull requests
// of forks can read the caches of the branch they are for, so a run is not kept when a secret turned up in what it recorded.
import { spawn } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, isAbsolute, join, relative, resolve } from "node:path";

const env = process.env;
/** What action.yml hands over. It is taken out of the environment, so that no step of the workflow has it. */
const given = Object.fromEntries(
  ["RUN", "INPUTS", "RESUME", "VERSION", "FOLDER", "CACHE", "KEY", "JOB_INDEX"].map((name) => {
    const value = env[`SEGNO_ACTION_${name}`] ?? "";
    delete env[`SEGNO_ACTION_${name}`];
    return [name, value];
  }),
);
const MOST_ERRORS = 20;
/** Mermaid draws no longer text. With this many errors of this length, a summary stays below the 1 MiB that GitHub takes. */
const MOST_TEXT = 50_000;
const MOST_ERROR_TEXT = 5_000;
const MOST_OUTPUT = 1_000_000;

const readJson = (path) => (path && existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined);

/** One line each: a line break in a value would begin an output of its own. */
function setOutputs(outputs) {
  for (const [name, value] of Object.entries(outputs))
    appendFileSync(env.GITHUB_OUTPUT, `${name}=${String(value).replace(/[\r\n]+/g, " ")}\n`);
}

/** Escaped as the `github` reporter does: the text can begin no workflow command of its own. */
const data = (text) =>
  String(text)
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .replaceAll("##", "#\u200b#")
    .replaceAll("%", "%25")
    .replaceAll("\n", "%0A");

function annotate(level, { message, kind, rule, location }) {
  const path = location && relative(env.GITHUB_WORKSPACE || ".", resolve(location.file));
  const file = path?.startsWith("..") || isAbsolute(path ?? "") ? location.file : path;
  const place = location ? { file, line: location.line, col: location.column } : {};
  const properties = Object.entries({ ...place, title: kind ?? rule ?? "segno" })
    .map(([name, value]) => `${name}=${data(value).replaceAll(":", "%3A").replaceAll(",", "%2C")}`)
    .join(",");
  console.log(`::${level} ${properties}::${data(message)}`);
}

/** For a pull request, or a workflow after one, of another repository; that is null when it was deleted. A comment on a pull
 *  request does not say whose it is. */
function isForFork() {
  const event = readJson(env.GITHUB_EVENT_PATH);
  const { pull_request: request, workflow_run: after, issue } = event ?? {};
  const heads = [...(request ? [request.head?.repo] : []), ...(after ? [after.head_repository] : [])];
  return !event || Boolean(issue?.pull_request) || heads.some((one) => one?.full_name !== env.GITHUB_REPOSITORY);
}

function plan() {
  let use = 1;
  while (existsSync(join(env.RUNNER_TEMP, `segno-${use}`))) use += 1;
  const folder = join(env.RUNNER_TEMP, `segno-${use}`);
  mkdirSync(folder, { mode: 0o700 });
  // GitHub takes keys of at most 512 characters, without commas.
  const [file, key] = [given.RUN, given.KEY].map((text) => text.replace(/[^\w.-]/g, "_").slice(-150));
  const job = key ? `${env.GITHUB_JOB}+${key}` : env.GITHUB_JOB;
  const prefix = ["segno", env.GITHUB_RUN_ID, job, given.JOB_INDEX || 0, use, file, ""].join("-");
  const cache = given.RESUME === "true" && !isForFork();
  setOutputs({ folder, prefix, key: `${prefix}${env.GITHUB_RUN_ATTEMPT}`, cache });
}

/** Values go through files: other processes see arguments, and `@` or `-` as a value would read a file or stdin. */
function inputOptions(folder) {
  const write = (name, value) => {
    writeFileSync(join(folder, name), value, { mode: 0o600 });
    return join(folder, name);
  };
  if (given.INPUTS.trim().startsWith("{")) return ["--inputs", write("inputs.json", given.INPUTS)];
  return given.INPUTS.split(/\r?\n/).flatMap((line, index) => {
    if (line.trim() === "") return [];
    const at = line.indexOf("=");
    if (at > 0) return ["-i", `${line.slice(0, at).trim()}=@${write(`${index}`, line.slice(at + 1))}`];
    throw new Error(`Line ${index + 1} of \`inputs\` is not name=value. Write one input a line, or one JSON object.`);
  });
}

/** Passes signals on to npx and to what it started, which it would leave running: a cancelled job leaves a run that can be
 *  resumed. */
function segno(args, stderr) {
  const npx = ["-c", 'exec npx --yes "$@"', "npx", `segno@${given.VERSION}`, ...args];
  const child = spawn("bash", npx, { stdio: ["ignore", "pipe", stderr], detached: true });
  const passOn = (signal) => process.kill(-child.pid, signal);
  const signals = ["SIGINT", "SIGTERM"];
  for (const signal of signals) process.on(signal, passOn);
  const parts = [];
  child.stdout.on("data", (part) => parts.push(part));
  return new Promise((done) =>
    child.on("close", (code) => {
      for (const signal of signals) process.off(signal, passOn);
      done({ code: code ?? 130, stdout: Buffer.concat(parts).toString("utf8") });
    }),
  );
}

function whyNotKept({ run_id: run, success, checkpoint }, folder) {
  if (given.RESUME !== "true") return '`resume` is not "true"';
  if (given.CACHE !== "true")
    return "runs for pull requests of forks are not kept, nor where the event does not say whose pull request it is";
  if (run === null || !existsSync(folder)) return "nothing of it is in the store of this job";
  if (!success && !checkpoint?.resumable) return "it cannot be resumed";
  // `met`: secrets that turned up in what was recorded. A run that succeeded has removed them, and then the file.
  const secrets = readJson(join(folder, "secrets.json"));
  if (secrets && (success || secrets.met?.secrets.length !== 0 || secrets.met.shortSecrets.length > 0))
    return "a step printed or returned a secret, and what holds one is not put into the cache";
  return undefined;
}

/** Fills the folder that is cached. Gives the reason when a re-run has to start anew. */
function keep(result, home, kept) {
  const folder = join(home, "runs", String(result.run_id));
  const whyNot = whyNotKept(result, folder);
  rmSync(kept, { recursive: true, force: true });
  mkdirSync(kept);
  const filter = (path) => basename(path) !== "secrets.json";
  if (!whyNot) cpSync(folder, join(kept, "runs", result.run_id), { recursive: true, filter });
  // Also when the run is not kept: otherwise the next attempt would resume what the one before this one kept.
  writeFileSync(join(kept, "run.json"), JSON.stringify({ run: whyNot ? null : result.run_id, isDone: result.success }));
  return whyNot;
}

/** Any text, as it is: the fence is longer than those in it. */
function fenced(text, language = "", most = MOST_TEXT) {
  const shown = text.length > most ? `${text.slice(0, most)}\n…` : text.trimEnd();
  const fence = "`".repeat(1 + Math.max(2, ...[...shown.matchAll(/`+/g)].map(([ticks]) => ticks.length)));
  return `${fence}${language}\n${shown}\n${fence}\n`;
}
const code = (text) => `\`${String(text).replace(/[`\s]+/g, " ")}\``;

function summary({ errors, checkpoint, ...result }, { graph, whyNot, wasResumed }) {
  const ran = result.run_id ? ` · run ${code(result.run_id)}${wasResumed ? ", resumed" : ""}` : "";
  const at = result.gate
    ? ` It waits for an answer at ${code(result.gate.name)}: no one can be asked in a job, so it would pause there again.`
    : checkpoint?.failed_node
      ? ` It goes on at ${code(checkpoint.failed_node)}.`
      : "";
  const next = whyNot
    ? `A re-run of this job starts the workflow anew: ${whyNot}.`
    : `To resume, re-run the failed jobs: completed steps are reused.${at}`;
  const told = ({ message, hint = "" }) =>
    `${message}\n\n${whyNot ? hint : hint.replaceAll(checkpoint?.resume ?? "\0", "re-run the failed jobs")}`;
  return [
    `## ${result.success ? "✅" : "❌"} ${code(result.workflow ?? given.RUN)} ${result.status}\n`,
    `${code(given.RUN)}${ran} · exit code ${result.exit_code}\n`,
    ...errors.slice(0, MOST_ERRORS).flatMap((entry) => {
      const { kind, rule, node_id: node, location } = entry;
      const words = [kind ?? rule ?? "error", node, location && `${location.file}:${location.line}`].filter(Boolean);
      return [`### ${words.map(code).join(" · ")}\n`, fenced(told(entry), "", MOST_ERROR_TEXT)];
    }),
    ...(result.success ? [] : [`${next}\n`]),
    ...(graph === "" || graph.length > MOST_TEXT ? [] : [fenced(graph, "mermaid")]),
    ...(result.output === null ? [] : ["### Output\n", fenced(JSON.stringify(result.output, null, 2), "json")]),
  ].join("\n");
}

async function run() {
  const [home, kept] = ["home", "kept"].map((name) => join(given.FOLDER, name));
  const before = given.CACHE === "true" ? readJson(join(kept, "run.json")) : undefined;
  const [command, target] = before?.run ? ["resume", before.run] : ["run", given.RUN];
  if (before?.run) cpSync(join(kept, "runs"), join(home, "runs"), { recursive: true });
  const values = mkdtempSync(join(given.FOLDER, "inputs-"));
  process.on("exit", () => rmSync(values, { recursive: true, force: true }));
  // A run that is done takes no inputs: its result is given again.
  const inputs = before?.run && before.isDone ? [] : inputOptions(values);
  const ended = await segno([command, "--output-format", "json", "--home", home, ...inputs, "--", target], "inherit");
  if (!ended.stdout.startsWith("{"))
    throw new Error(`Segno gave no result (exit code ${ended.code}); see its messages.`);
  const result = JSON.parse(ended.stdout);
  for (const entry of result.errors) annotate("error", entry);
  for (const entry of result.warnings) annotate("warning", entry);
  const whyNot = keep(result, home, kept);
  const drawing = ["graph", "--home", home, "--run", result.run_id, "--", given.RUN];
  // A cancelled job has seconds left.
  const graph = result.run_id && ended.code !== 130 ? (await segno(drawing, "ignore")).stdout : "";
  appendFileSync(env.GITHUB_STEP_SUMMARY, `${summary(result, { graph, whyNot, wasResumed: command === "resume" })}\n`);
  const output = JSON.stringify(result.output);
  const shown = Buffer.byteLength(output) > MOST_OUTPUT ? "null" : output;
  setOutputs({ status: result.status, "run-id": result.run_id ?? "", output: shown, "exit-code": ended.code });
  process.exitCode = ended.code;
}

try {
  await { plan, run }[process.argv[2]]();
} catch (problem) {
  annotate("error", problem);
  process.exitCode = 2;
}
