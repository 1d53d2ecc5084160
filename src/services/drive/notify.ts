// Notifies people that a gate or questions wait: by a command that gets them on its stdin, or by a webhook.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Redactor } from "../../base/redact/index.ts";
import { commandLineReader } from "../../base/results/index.ts";
import type { GateNotice } from "../../engine/people/ask.ts";
import { system } from "../../steps/process/here.ts";
import { commandNotOnWorker, notOnWorker } from "../../steps/script/result.ts";
import type { ProcessRequest } from "../../steps/world.ts";
import { environmentForOthers } from "../session/own-secrets.ts";
import type { Session } from "../session/session.ts";
import type { FolderHere } from "./places.ts";

const LIMIT_MS = 30_000;

export interface Notifying extends Pick<Session, "env" | "project" | "page" | "fleet"> {
  readonly runId: string;
  readonly redactor: Redactor;
  /** On a worker: where a folder of the workflow is. */
  readonly folderHere?: FolderHere;
}

/** Gives what went wrong, in a sentence; a run does not fail for it. */
export async function notifyPeople(notice: GateNotice, notifying: Notifying): Promise<string | undefined> {
  const { notify, signal } = notice;
  const text = JSON.stringify(notifying.redactor.value(letterOf(notice, notifying)));
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  try {
    return notify.command === undefined
      ? await post(notify.webhook ?? "", notify.headers, text, limit)
      : await run({ command: notify.command, args: notify.args, cwd: notice.workflow.dir }, text, notifying, limit);
  } catch (problem) {
    return problem instanceof Error ? problem.message : String(problem);
  }
}

function letterOf(
  { question, workflow, reminder }: GateNotice,
  { runId, page, fleet }: Notifying,
): Record<string, unknown> {
  const { kind, node, key, prompt, deadline, approvers } = question;
  return {
    run_id: runId,
    workflow: workflow.name,
    node_id: node,
    key,
    prompt: prompt ?? "",
    ...(kind === "gate" ? { options: question.options } : { questions: question.questions }),
    ...(deadline === undefined ? {} : { deadline }),
    ...(approvers === undefined ? {} : { approvers }),
    reminder,
    answer: commandLineReader({ fleet }).ask({ to: "answer", run: runId }),
    link: page === undefined ? null : `${page.replace(/\/$/, "")}/runs/${runId}`,
  };
}

async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
    signal,
    redirect: "error",
  });
  await answer.body?.cancel();
  return answer.ok ? undefined : `the webhook answered ${answer.status}`;
}

type NotifyCommand = Pick<ProcessRequest, "command" | "args" | "cwd">;

function run(
  notify: NotifyCommand,
  text: string,
  notifying: Notifying,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { folderHere } = notifying;
  const isAway = !existsSync(notify.cwd);
  const cwd = folderHere?.(notify.cwd) ?? notify.cwd;
  const onWorker = isAway && folderHere ? { onWorker: { cwd } } : {};
  return new Promise((resolve) => {
    const { file, args, options } = system.launch({ ...notify, cwd, env: environmentForOthers(notifying) });
    // Not in a group of its own: it goes with this process.
    const child = spawn(file, args, { ...options, detached: false, cwd, stdio: ["pipe", "ignore", "pipe"], signal });
    let said = "";
    child.stderr.on("data", (data: Buffer) => {
      said = (said + data.toString("utf8")).slice(-500);
    });
    child.on("error", (problem) => resolve(whyNotNotified(problem, notify, isAway)));
    child.on("close", (code, ended) =>
      resolve(
        code === 0 ? undefined : `${said.trim() || `it ended with ${code ?? ended}`}${notOnWorker(notify, onWorker)}`,
      ),
    );
    // A command that does not read it is no trouble.
    child.stdin.on("error", () => {});
    child.stdin.end(`${text}\n`);
  });
}

/** Without the workflow's folder it is a command of another machine: the system says ENOENT for the one and the other. */
const whyNotNotified = (problem: Error, { command, cwd }: NotifyCommand, isAway: boolean): string =>
  isAway && (problem as { code?: unknown }).code === "ENOENT" ? commandNotOnWorker(command, cwd) : problem.message;
