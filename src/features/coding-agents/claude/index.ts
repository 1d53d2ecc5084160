// Claude through its Agent SDK: an optional peer whose program runs in a process of its own, with a folder of its own for
// sessions, settings that are brought to it, and what git is made to ignore.
import { existsSync, lstatSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative } from "node:path";
import { isMapping } from "../../../base/errors/mapping.ts";
import { parseJson } from "../../../base/json/bounded.ts";
import { failureOfStatus, ProviderFailure, usedUp } from "../../../providers/failure.ts";
import { toolServer } from "../../../providers/toolbox.ts";
import {
  type AgentProcess,
  type CodingAgent,
  type CodingAnswer,
  type CodingHooks,
  type CodingTask,
  WORKS_IN,
} from "../agent.ts";
import { type OsSandbox, osSandbox, pathWithBwrap } from "../environment.ts";
import { guardedIn } from "../guarded.ts";
import { hasProgram, loadPeer, missingPeer, missingProgram, PEERS } from "../packages.ts";
import { bringSettings, describeCall, ofUser, refuseUnconfined } from "../permissions.ts";
import { holdPlaces, IN_FOLDER } from "../placeholders.ts";
import { SessionGone, type SessionLine, tellsTask } from "../sessions.ts";
import { ClaudeListener, type ClaudeSdk, type SpawnRequest, type ToolDecision } from "./listen.ts";
import { type ClaudeAccess, claudeAccess, claudeOptions, mayRunCommands, OWN_TOOL, SERVER } from "./options.ts";

const PEER = PEERS["claude-agent-sdk"];

async function work(task: CodingTask, hooks: CodingHooks): Promise<CodingAnswer> {
  const temporary = await task.processes.makeFolder();
  try {
    const os = osSandbox(task.env, task.processes.machine.platform);
    const isConfined = os.ready && task.permissions.sandbox !== "full";
    const access = claudeAccess(task, temporary.path);
    refuseUnconfined(task.permissions, os.ready, os.message);
    if (task.session.isNew && wouldRunCommands(task) && !mayRunCommands(task, os.ready))
      hooks.warn(
        `Claude has no Bash in this step: under sandbox: ${task.permissions.sandbox} commands run only inside a sandbox of the operating system, and there is none here (${os.message}). Mend that, or let a person decide about each command with ask: gate.`,
      );
    if (task.permissions.settings === "user") await bringClaudeSettings(task);
    const sdk = (await loadPeer(PEER, task.project)) as ClaudeSdk;
    if (os.ready) holdPlaces(task);
    await hooks.session(task.session.id);
    const given = isConfined ? await confined(access, task, temporary.path) : access;
    return await drive(sdk, task, hooks, { access: given, os });
  } finally {
    await temporary.remove();
  }
}

/** Where Claude itself keeps things beside its own folder, and would put them into the user's home. */
const OF_ITS_OWN = ["XDG_CONFIG_HOME", "XDG_CACHE_HOME"];

/** What goes with a sandbox around commands, which takes away from them what is meant for Claude alone. */
async function confined(access: ClaudeAccess, task: CodingTask, temporary: string): Promise<ClaudeAccess> {
  const own = Object.fromEntries(OF_ITS_OWN.map((name) => [name, join(task.home, name.toLowerCase())]));
  const env = {
    ...access.env,
    ...own,
    ...(await excludeFromGit(task, temporary)),
    PATH: await pathWithBwrap(task),
    [WORKS_IN]: task.cwd,
  };
  return { ...access, env, withheld: [...access.withheld, ...OF_ITS_OWN] };
}

async function drive(
  sdk: ClaudeSdk,
  task: CodingTask,
  hooks: CodingHooks,
  { access, os }: { readonly access: ClaudeAccess; readonly os: OsSandbox },
): Promise<CodingAnswer> {
  const { signal, processes, mark } = task;
  const listener = new ClaudeListener(hooks);
  let started: AgentProcess | undefined;
  let asksInVain = false;
  const stop = new AbortController();
  const abort = (): void => {
    void started?.end();
    stop.abort(signal.reason);
  };
  const canUseTool = async (name: string, input: Readonly<Record<string, unknown>>): Promise<ToolDecision> => {
    const answer =
      task.permissions.sandbox === "full" ? "allow" : await hooks.permit(describeCall(name, input), { name, input });
    if (answer === "allow") return { behavior: "allow", updatedInput: input };
    asksInVain ||= answer === "later";
    const message = answer === "later" ? "A person has to answer this, and none can now." : "The answer is no.";
    return { behavior: "deny", message, interrupt: answer === "later" };
  };
  // Claude's own limit does not count what the agents that it starts do.
  let isOutOfTurns = false;
  listener.called = () => {
    if (listener.calls <= task.maxTurns || isOutOfTurns) return;
    isOutOfTurns = true;
    void started?.end();
    stop.abort();
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    signal.throwIfAborted();
    const messages = queryOf(sdk, task, {
      prompt: task.prompt,
      options: {
        ...claudeOptions(task, access, os),
        mcpServers: await servedTools(task.tools, hooks),
        abortController: stop,
        ...(isAsked(task) ? { canUseTool } : {}),
        spawnClaudeCodeProcess: ({ command, args, cwd, env }: SpawnRequest) => {
          started = processes.startNow({ command, args, cwd: cwd ?? task.cwd, env, mark, secret: access.key });
          hooks.spawned(started.pid, started.identity);
          if (os.ready) holdPlaces(task);
          return started.child;
        },
      },
    });
    try {
      for await (const message of messages) listener.hear(message);
    } catch (error) {
      signal.throwIfAborted();
      // After a result that is an error the iterator throws as well.
      if (isUnknownSession(task, error)) throw new SessionGone(task.session.id, { cause: error });
      if (!listener.result && !isOutOfTurns)
        throw new ProviderFailure("transient", error instanceof Error ? error.message : String(error));
    }
    signal.throwIfAborted();
    if (isUnknownSession(task, listener.result?.errors)) throw new SessionGone(task.session.id);
    if (asksInVain) return { type: "asks" };
    for (const { tool_name, tool_input } of listener.result?.permission_denials ?? [])
      hooks.denied(describeCall(tool_name, tool_input));
    return isOutOfTurns ? { type: "out_of_turns", text: listener.text } : readResult(listener);
  } finally {
    listener.end();
    signal.removeEventListener("abort", abort);
    await started?.end();
  }
}

/** A package without its program is one that throws here. */
function queryOf(
  sdk: ClaudeSdk,
  { project, processes: { machine } }: CodingTask,
  request: Parameters<ClaudeSdk["query"]>[0],
): ReturnType<ClaudeSdk["query"]> {
  try {
    return sdk.query(request);
  } catch (error) {
    if (!hasProgram(PEER, project, machine)) throw missingProgram(PEER, machine);
    throw missingPeer(PEER, error instanceof Error ? error.message : String(error));
  }
}

/** Whether the SDK gets a callback for permissions: it warns of one that is never called. */
const isAsked = ({ permissions: { ask, sandbox } }: CodingTask): boolean => ask === "gate" || sandbox === "full";

/** A step that has no tools, or names others, misses nothing. */
const wouldRunCommands = ({ builtIns }: CodingTask): boolean => builtIns === null || builtIns.includes("Bash");

export const claude = { name: "claude-agent-sdk", defaultModel: "", work, hasSession } satisfies CodingAgent;

function readResult({ result, failure, limit, text }: ClaudeListener): CodingAnswer {
  if (!result) throw new ProviderFailure("transient", "Claude's process ended before it answered");
  const said = result.errors?.join("; ") || result.result || result.subtype;
  switch (result.subtype) {
    case "error_max_turns":
      return { type: "out_of_turns", text };
    case "error_max_structured_output_retries":
      return { type: "unfit", text, reason: said };
    case "error_max_budget_usd":
      throw new ProviderFailure("unavailable", "what is left of limits.budget_usd is used up");
    case "success":
      if (!result.is_error)
        return { type: "answered", text: result.result ?? "", structured: result.structured_output };
      if (limit) throw usedUp(limit.limit, said, result.api_error_status ?? 429, limit.resetsAt);
      // Out of credit comes with statuses that also stand for other things.
      if (failure === "billing_error") throw usedUp("quota", said, result.api_error_status ?? null);
      throw failureOfStatus(result.api_error_status ?? null, said);
    default:
      throw new ProviderFailure(result.startup_failure_reason ? "unready" : "transient", said);
  }
}

/** Segno's tools for Claude: an MCP server in this very process. */
async function servedTools(tools: CodingTask["tools"], hooks: CodingHooks): Promise<Record<string, unknown>> {
  if (tools.length === 0) return {};
  let calls = 0;
  const instance = await toolServer(SERVER, tools, ({ name, input }) => {
    calls += 1;
    return hooks.runTool({ id: `${OWN_TOOL}${calls}`, name, input });
  });
  return { [SERVER]: { type: "sdk", name: SERVER, instance } };
}

// What Claude keeps of a session: `projects/FOLDER/ID.jsonl`, in which every line that was said names the one before it.

export async function hasSession(home: string, id: string): Promise<boolean> {
  const projects = join(home, "projects");
  const folders = await readdir(projects).catch(() => []);
  const file = folders.map((folder) => join(projects, folder, `${id}.jsonl`)).find((one) => existsSync(one));
  return file !== undefined && (await tellsTask(file, beginsWell()));
}

/** A file that begins in the middle was written by a process that went on when the folder was gone. */
function beginsWell(): (line: SessionLine) => "task" | "damaged" | "go on" {
  let hasBegun = false;
  return (line) => {
    if (!("parentUuid" in line)) return "go on";
    if (!hasBegun && line.parentUuid !== null) return "damaged";
    hasBegun = true;
    return line.type === "user" ? "task" : "go on";
  };
}

/** Claude does not take the file that it was to go on with. */
export function isUnknownSession({ session }: CodingTask, said: unknown): boolean {
  const text =
    said instanceof Error ? said.message : Array.isArray(said) || isMapping(said) ? JSON.stringify(said) : "";
  return !session.isNew && /No conversation found/i.test(text);
}

/**
 * What a sandbox puts into a folder is no work of the agent: git is made to ignore it, by a list of the agent's own in which
 * the user's stands too. Writes it, and gives the variables by which git finds it.
 */
export async function excludeFromGit(task: CodingTask, temporary: string): Promise<Readonly<Record<string, string>>> {
  const { cwd, env } = task;
  const file = join(temporary, "git-excludes");
  const guarded = guardedIn(task).readOnly.map((path) => relative(cwd, path));
  const names = [...IN_FOLDER, ...guarded.filter((path) => !/^\.(?:\.|git)(?:\/|$)/.test(path))];
  const above = relative(repositoryOf(cwd), cwd);
  const patterns = names
    .filter((name) => saysNothing(join(cwd, name)))
    .map((name) => patternOf(join("/", above, name)));
  await writeFile(file, [await excludesOfUser(env.HOME || homedir()), ...patterns, ""].join("\n"));
  return { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "core.excludesFile", GIT_CONFIG_VALUE_0: file };
}

/** It is not there, or is what a sandbox made of it. */
function saysNothing(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined || (stats.isFile() && stats.size === 0);
}

const patternOf = (path: string): string => path.replace(/[\\*?[\] ]/g, "\\$&");

function repositoryOf(cwd: string): string {
  for (let at = cwd; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return cwd;
  }
}

/** The list that git would look at otherwise. */
async function excludesOfUser(home: string): Promise<string> {
  const configs = await Promise.all([".gitconfig", ".config/git/config"].map((name) => textOf(join(home, name))));
  const [named] = configs.flatMap((config) => /^\s*excludesfile\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(config)?.[1] ?? []);
  const file = named?.replace(/^~(?=\/)/, home) ?? join(home, ".config/git/ignore");
  return isAbsolute(file) ? await textOf(file) : "";
}

const textOf = (file: string): Promise<string> => readFile(file, "utf8").catch(() => "");

const OF_USER = ["settings.json", "CLAUDE.md", "agents", "commands", "hooks", "rules", "skills"];

/** For `settings: user`: settings with their hooks, instructions, skills and MCP servers. */
export async function bringClaudeSettings({ env, home }: CodingTask): Promise<void> {
  const folder = ofUser(env, "CLAUDE_CONFIG_DIR", ".claude");
  await bringSettings(folder, OF_USER, home);
  // Beside the servers that file holds a login and a history, which are not brought.
  const file = env.CLAUDE_CONFIG_DIR ? join(folder, ".claude.json") : join(env.HOME || homedir(), ".claude.json");
  const mcpServers = (await mappingIn(file)).mcpServers;
  if (mcpServers === undefined) return;
  const own = join(home, ".claude.json");
  await writeFile(own, JSON.stringify({ ...(await mappingIn(own)), mcpServers }), { mode: 0o600 });
}

/** Empty when there is none, or it is no mapping. */
async function mappingIn(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const value = parseJson(await readFile(file, "utf8"));
    return isMapping(value) ? value : {};
  } catch {
    return {};
  }
}
