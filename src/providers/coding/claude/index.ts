// Claude through its Agent SDK: an optional peer whose program runs in a process of its own, with a folder of its own.
import { join } from "node:path";
import { failureOfStatus, ProviderFailure, usedUp } from "../../failure.ts";
import { toolServer } from "../../toolbox.ts";
import {
  type AgentProcess,
  type CodingAgent,
  type CodingAnswer,
  type CodingHooks,
  type CodingTask,
  WORKS_IN,
} from "../agent.ts";
import { type OsSandbox, osSandbox, pathWithBwrap } from "../environment.ts";
import { hasProgram, loadPeer, missingPeer, missingProgram, PEERS } from "../packages.ts";
import { describeCall, refuseUnconfined } from "../permissions.ts";
import { holdPlaces } from "../placeholders.ts";
import { SessionGone } from "../sessions.ts";
import { ClaudeListener, type ClaudeSdk, type SpawnRequest, type ToolDecision } from "./listen.ts";
import { type ClaudeAccess, claudeAccess, claudeOptions, mayRunCommands, OWN_TOOL, SERVER } from "./options.ts";
import { bringClaudeSettings, excludeFromGit, hasSession, isUnknownSession } from "./own-folder.ts";

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
    return await drive(sdk, {
      task,
      hooks,
      access: isConfined ? await confined(access, task, temporary.path) : access,
      os,
    });
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

interface Driven {
  readonly task: CodingTask;
  readonly hooks: CodingHooks;
  readonly access: ClaudeAccess;
  readonly os: OsSandbox;
}

async function drive(sdk: ClaudeSdk, { task, hooks, access, os }: Driven): Promise<CodingAnswer> {
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
          started = processes.startNow({
            command,
            args,
            cwd: cwd ?? task.cwd,
            env,
            mark,
            ...(access.key ? { secret: access.key } : {}),
          });
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
        return {
          type: "answered",
          text: result.result ?? "",
          ...(result.structured_output === undefined ? {} : { structured: result.structured_output }),
        };
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
