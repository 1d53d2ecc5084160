// Codex through `codex app-server`: deltas, requests for permission and typed errors, which its other doors do not have.
import { existsSync, readdirSync } from "node:fs";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { isMapping } from "../../../base/errors/mapping.ts";
import { parseJson } from "../../../base/json/bounded.ts";
import { isStrict, schemaInstruction } from "../../../providers/answer.ts";
import { classify } from "../../../providers/classify.ts";
import { failureOfStatus, ProviderFailure, usedUp } from "../../../providers/failure.ts";
import {
  type AgentProcess,
  type CodingAgent,
  type CodingAnswer,
  type CodingHooks,
  type CodingTask,
  type Machine,
  WORKS_IN,
} from "../agent.ts";
import { AgentRpc } from "../agent-rpc.ts";
import { agentEnvironment, isUnguardedRoot, pathWithBwrap } from "../environment.ts";
import { missingPeer, PEERS, peerFolder } from "../packages.ts";
import { holdPlaces } from "../placeholders.ts";
import { SessionGone, type SessionLine, tellsTask } from "../sessions.ts";
import { CodexListener, PermissionRequests } from "./listen.ts";
import { bringCodexSettings, HELPER, skillSettings, writeSettings } from "./settings.ts";

async function work(task: CodingTask, hooks: CodingHooks): Promise<CodingAnswer> {
  const { signal, processes, mark, cwd, permissions } = task;
  const key = task.settings.api_key || task.env.OPENAI_API_KEY;
  if (!key && !task.settings.base_url)
    throw new ProviderFailure(
      "unready",
      "no key: set OPENAI_API_KEY in the environment, or give the provider an api_key. A login of the codex program is not used",
    );
  if (task.builtIns !== null && task.builtIns.length > 0)
    hooks.warn(
      `codex has no list of tools to choose from: ${task.builtIns.join(", ")} is not looked at, and it uses all it has.`,
    );
  const { machine } = processes;
  if (permissions.sandbox !== "full" && isUnguardedRoot(task))
    hooks.warn(
      "Segno runs as root, and there is no bubblewrap here (apt install bubblewrap): commands of codex can change the kernel's settings.",
    );
  const command = program(task.project, machine);
  const brought = await bringCodexSettings(task);
  const temporary = await processes.makeFolder();
  let started: AgentProcess | undefined;
  const abort = (): void => void started?.end();
  signal.addEventListener("abort", abort, { once: true });
  try {
    if (machine.platform === "linux") await symlink(command, join(temporary.path, HELPER));
    const searchPath = [temporary.path, await pathWithBwrap(task)].join(delimiter);
    const runsNothing = permissions.settings === "none" && permissions.sandbox !== "full";
    const ownFirst = runsNothing ? [await withholdGit(temporary.path)] : [];
    await writeSettings(task, searchPath, brought);
    signal.throwIfAborted();
    holdPlaces(task);
    started = processes.startNow({
      command,
      args: ["app-server"],
      cwd,
      env: {
        ...agentEnvironment(task.env),
        PATH: [...ownFirst, searchPath].join(delimiter),
        CODEX_HOME: task.home,
        ...(permissions.sandbox === "full" ? {} : { [WORKS_IN]: cwd }),
        [mark[0]]: mark[1],
      },
      mark,
    });
    hooks.spawned(started.pid, started.identity);
    holdPlaces(task);
    return await converse(started, { task, hooks, key: key || "none" });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
    await started?.end();
    await temporary.remove();
  }
}

type Params = Readonly<Record<string, unknown>>;

async function converse(
  process: AgentProcess,
  { task, hooks, key }: { readonly task: CodingTask; readonly hooks: CodingHooks; readonly key: string },
): Promise<CodingAnswer> {
  let model: string | undefined;
  const listener = new CodexListener(hooks, () => model, task.permissions.ask === "gate");
  const permissions = new PermissionRequests(hooks, listener);
  const handlers = {
    notified: (method: string, params: Params) => listener.hear(method, params),
    requested: (method: string, params: Params) => permissions.answer(method, params),
  };
  const server = new AgentRpc(process, "codex", handlers, () => "transient");
  await server.call("initialize", {
    clientInfo: { name: "segno", title: "Segno", version: "1" },
    capabilities: { experimentalApi: true, requestAttestation: false },
  });
  server.notify("initialized");
  await server.call("account/login/start", { type: "apiKey", apiKey: key });
  const skills = await skillSettings(
    (method, params) => server.call(method, params),
    task.cwd,
    task.permissions.settings,
  );
  const { thread } = await server.call(...opening(task, skills)).catch((error: unknown) => {
    // It lives, and refuses the session: what it kept of it is damaged.
    if (!task.session.isNew && isRefusal(error)) throw new SessionGone(task.session.id, { cause: error });
    throw error;
  });
  const threadId = isMapping(thread) ? String(thread.id) : "";
  listener.thread = threadId;
  model = isMapping(thread) && typeof thread.model === "string" ? thread.model : undefined;
  await hooks.session(threadId);
  let isOutOfTurns = false;
  const { turn } = await server.call("turn/start", { threadId, ...question(task) });
  const turnId = isMapping(turn) ? turn.id : "";
  listener.called = (isTool) => {
    const limit = isTool ? task.maxTurns : task.maxTurns + 1;
    if (listener.calls < limit || isOutOfTurns) return;
    isOutOfTurns = true;
    server.call("turn/interrupt", { threadId, turnId }).catch(() => {});
  };
  const end = await Promise.race([listener.ended, server.gone]).finally(() => listener.end());
  if (permissions.asksInVain) return { type: "asks" };
  if (end.status === "completed") return { type: "answered", text: listener.answer };
  if (isOutOfTurns) return { type: "out_of_turns", text: listener.answer };
  throw failureOfTurn(end.error, listener.limits);
}

const isRefusal = (error: unknown): boolean => error instanceof ProviderFailure && error.reason === "rejected";

function opening(
  task: CodingTask,
  config: Readonly<Record<string, unknown>>,
): [method: string, params: Record<string, unknown>] {
  const { session, permissions, cwd, model, system, tools } = task;
  const about = {
    cwd,
    config,
    ...(model ? { model } : {}),
    ...(system ? { developerInstructions: system } : {}),
    approvalPolicy: permissions.ask === "gate" ? "on-request" : "never",
    // What a sandbox allows otherwise stands in the settings, as a profile.
    ...(permissions.sandbox === "full" ? { sandbox: "danger-full-access" } : {}),
  };
  if (!session.isNew) return ["thread/resume", { threadId: session.id, ...about, excludeTurns: true }];
  const dynamicTools = tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    inputSchema,
  }));
  return ["thread/start", { ...about, dynamicTools, experimentalRawEvents: true }];
}

function question({ prompt, schema, effort, builtIns }: CodingTask): Record<string, unknown> {
  const isTaken = schema !== undefined && isStrict(schema);
  const said = schema && !isTaken ? `${prompt}\n\n${schemaInstruction(schema)}` : prompt;
  return {
    input: [{ type: "text", text: said, text_elements: [] }],
    ...(isTaken ? { outputSchema: schema } : {}),
    ...(effort ? { effort: effort === "max" ? "xhigh" : effort } : {}),
    summary: "auto",
    // No place to run anything in: no tools of its own.
    ...(builtIns?.length === 0 ? { environments: [] } : {}),
  };
}

function program(project: string, { platform, arch }: Machine): string {
  const folder = peerFolder(PEERS.codex, project);
  if (!folder) throw missingPeer(PEERS.codex, "not found");
  const name = `codex-${platform}-${arch}`;
  const vendor = [join(folder, "..", name), join(folder, "node_modules", "@openai", name), folder]
    .map((one) => join(one, "vendor"))
    .find((one) => existsSync(one));
  for (const target of vendor ? readdirSync(vendor) : []) {
    const file = join(vendor ?? "", target, "bin", platform === "win32" ? "codex.exe" : "codex");
    if (existsSync(file)) return file;
  }
  throw missingPeer(PEERS.codex, `it has no program for ${platform} on ${arch}`);
}

export const codex = { name: "codex", defaultModel: "", work, hasSession } satisfies CodingAgent;

// Codex asks git about the repository for its own records, outside of every sandbox and before the model says a word. Git
// then runs the filters that the repository's settings name. None of these records is needed here, so that the git which
// Codex finds first does nothing. Commands have a PATH of their own, with the real one on it.

async function withholdGit(temporary: string): Promise<string> {
  const folder = join(temporary, "of-codex-alone");
  await mkdir(folder);
  await writeFile(join(folder, "git"), "#!/bin/sh\nexit 128\n", { mode: 0o700 });
  return folder;
}

/** In `sessions/…/rollout-…-ID.jsonl`, where what surrounds a turn comes before its task. */
async function hasSession(home: string, id: string): Promise<boolean> {
  const sessions = join(home, "sessions");
  const files = await readdir(sessions, { recursive: true }).catch(() => []);
  const file = files.find((one) => one.endsWith(`-${id}.jsonl`));
  return file !== undefined && (await tellsTask(join(sessions, file), beginsWell()));
}

function beginsWell(): (line: SessionLine) => "task" | "damaged" | "go on" {
  let [isNamed, isInTurn] = [false, false];
  return ({ type, payload }) => {
    if (!isNamed && type !== "session_meta") return "damaged";
    isNamed = true;
    isInTurn ||= type === "turn_context";
    const isSaid = type === "response_item" && isMapping(payload) && payload.role === "user";
    return isInTurn && isSaid ? "task" : "go on";
  };
}

/** Words without a status, and the status that they stand for. */
const STATUSES: Readonly<Record<string, number>> = {
  unauthorized: 401,
  badRequest: 400,
  modelNotFound: 404,
  rateLimitExceeded: 429,
  flexUnavailable: 429,
  serverOverloaded: 529,
  internalServerError: 500,
};

const CUT = /stream|disconnect|connect|network|time(?:d )?out|sending request|retry limit|closed|reset/i;

/** A window of the subscription, as Codex reports it: `account/rateLimits/updated`. Its reset is in seconds since 1970. */
interface Window {
  readonly usedPercent: number;
  readonly windowDurationMins: number;
  readonly resetsAt: number;
}

const isWindow = (value: unknown): value is Window => isMapping(value) && typeof value.resetsAt === "number";

const LONGEST_SESSION_MINUTES = 24 * 60;

/** The window that is used up, and lasts longest of those. */
function usageLimit(said: string, limits: unknown): ProviderFailure {
  const windows = (isMapping(limits) ? [limits.primary, limits.secondary] : []).filter(isWindow);
  const [full] = windows.filter(({ usedPercent }) => usedPercent >= 100).sort((a, b) => b.resetsAt - a.resetsAt);
  if (!full) return usedUp("quota", said, 429);
  const limit = full.windowDurationMins > LONGEST_SESSION_MINUTES ? "weekly" : "session";
  return usedUp(limit, said, 429, full.resetsAt * 1000);
}

/** `limits`: what Codex reported of the subscription last. */
export function failureOfTurn(error: unknown, limits?: unknown): ProviderFailure {
  const { message, codexErrorInfo: info } = isMapping(error) ? error : {};
  const said = typeof message === "string" && message !== "" ? message : "the turn failed";
  if (info === "usageLimitExceeded") return usageLimit(said, limits);
  if (info === "sessionBudgetExceeded") return usedUp("quota", said, 429);
  if (info === "contextWindowExceeded" || info === "cyberPolicy") return new ProviderFailure("rejected", said);
  if (typeof info === "string" && Object.hasOwn(STATUSES, info)) return failureOfStatus(STATUSES[info] ?? null, said);
  if (isMapping(info))
    for (const one of Object.values(info))
      if (isMapping(one) && "httpStatusCode" in one)
        return failureOfStatus(typeof one.httpStatusCode === "number" ? one.httpStatusCode : null, said);
  // A cut stream and a refused request (400) both come as "other", without a status: a refusal is the body that the API
  // sent, whatever type that names, and a cut is described in Codex's own words.
  const failure = classify({ responseBody: said, message: said }, 0);
  const isRefused = info === "other" && said === message && (isBody(said) || !CUT.test(said));
  if (!isRefused) return failure;
  if (failure.reason === "unavailable") return usedUp("quota", failure.message, 400);
  return failureOfStatus(400, failure.message);
}

function isBody(said: string): boolean {
  try {
    return isMapping(parseJson(said));
  } catch {
    return false;
  }
}
