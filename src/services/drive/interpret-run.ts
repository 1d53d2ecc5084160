// From a setup to the next end of the run: the engine interprets, the port records, the end is recorded last.
import { setMaxListeners } from "node:events";
import { COMMAND_LINE } from "../../base/results/index.ts";
import { conclude } from "../../engine/conclude.ts";
import type { Guard } from "../../engine/guard/guard.ts";
import {
  type Engine,
  type FrameEnd,
  interpretLostItems,
  interpretRoot,
  type OutcomeCache,
  type RootRun,
} from "../../engine/interpret.ts";
import { notCounting } from "../../engine/people/approval.ts";
import type { Answer, Answerer, Asker, Question, Unsigned, Waiting } from "../../engine/people/ask.ts";
import { ReusedBehindRetry } from "../../engine/reused-behind.ts";
import type { HashWorld } from "../../engine/visit/hash.ts";
import { familyOf, stepsOf, typesUsedIn } from "../../language/loaded.ts";
import type { CallTurns } from "../../steps/caller.ts";
import { endAttempt, endProcessGroup } from "../../steps/outside.ts";
import { SPILL_FOLDER } from "../../steps/process/spill-file.ts";
import { loadExecutors } from "../../steps/types.ts";
import type { AnswerBox } from "../../storage/asking.ts";
import { DriveLeft } from "../../storage/idle-release.ts";
import type { RunLog } from "../../storage/run-log.ts";
import { hearStopRequest, StoppedBy, skippableWaits } from "../reading/run-notes.ts";
import type { DriveListeners, FaceAsker } from "../request.ts";
import { environmentRedactor } from "../session/exit.ts";
import { countVisit } from "../session/kept-code.ts";
import { approving, type KnownPerson, processOwner } from "../session/people.ts";
import { type KeepingLog, textsOf } from "../session/run-secrets.ts";
import type { Session } from "../session/session.ts";
import { areKeyframesOff, keepingKeyframes, keyframeDigest } from "./keyframe.ts";
import { notifyPeople } from "./notify.ts";
import { type ExportTarget, openPort } from "./port.ts";
import type { DriveRequest, DriveSetup } from "./setup.ts";

export interface DriveGround {
  readonly log: KeepingLog &
    ExportTarget & { readonly folder: string } & Partial<
      Pick<RunLog, "keepKeyframe" | "flush" | "setStatus" | "takeUp">
    >;
  readonly hashing: HashWorld;
  readonly answers?: AnswerBox;
  readonly cache?: OutcomeCache;
  readonly turns?: CallTurns;
  readonly guard?: Guard;
}

export async function interpretRun(
  setup: DriveSetup,
  request: DriveRequest,
  ground: DriveGround,
  listeners: DriveListeners = {},
): Promise<void> {
  const { session, state, workflow, clock, recall, redactor, scripted } = setup;
  const { people } = session.project ?? {};
  const { log, answers } = ground;
  const { leaving, rerun: { from, force, changedFiles } = {} } = request;
  const executor = await loadExecutors(typesUsedIn(workflow), session.extensions?.stepTypes);
  const ask = scripted
    ? scripted.ask
    : listeners.ask && askHere(listeners.ask, { ...session, askedVia: listeners.askedVia, runId: state.runId });
  const signal = scripted ? scripted.signal : listeners.signal;
  const { port, exporting } = openPort({
    log,
    state,
    redactor,
    clock,
    recall,
    ask,
    answers,
    inherited: setup.inherited,
    facts: setup.keyframes?.facts,
    workflow: workflow.definition.workflow.name,
    on: listeners.on,
    beginWait: skippableWaits(log.folder),
    // A wait that a scenario asserts is the same each time.
    random: scripted && (() => 0),
    portOf: leaving && ((options) => leaving.portOf(options, scripted !== undefined)),
  });
  const stop = new AbortController();
  // Every step of a group listens to the one, every run of a caller that stops many at once to the other: no leak.
  setMaxListeners(0, stop.signal, ...(signal ? [signal] : []));
  let leave: (reason: DriveLeft) => void = () => {};
  const left = new Promise<never>((_, reject) => {
    leave = reject;
  });
  left.catch(() => {});
  const cancel = (): void =>
    signal?.reason instanceof DriveLeft ? leave(signal.reason) : stop.abort(new Error("cancelled"));
  if (signal?.aborted) cancel();
  signal?.addEventListener("abort", cancel, { once: true });
  const stopHearing = hearStopRequest(log.folder);
  const errorsJsonl = `${log.folder}/errors.jsonl`;
  let interpreting: Promise<FrameEnd | undefined> | undefined;
  try {
    setup.begin(port.note);
    const began = clock.now();
    let fresh = false;
    // Every field by name, see `Family.load`: this is read in every step.
    const engine: Engine = {
      durable: port,
      executor: (type) => (scripted ? scripted.executor(executor(type)) : executor(type)),
      world: setup.world,
      clock,
      spillDir: `${log.folder}/${SPILL_FOLDER}`,
      worker: log.worker,
      hashing: ground.hashing,
      rootDir: workflow.dir,
      provider: setup.provider,
      // The person who set a trigger off started its run.
      startedBy: setup.origin.firedBy ?? setup.origin.startedBy,
      changedBy: setup.origin.changedBy,
      people: (approvers) => (people ? approving(approvers, people) : approvers),
      notify: scripted
        ? undefined
        : (notice) => notifyPeople(notice, { ...session, runId: state.runId, redactor, folderHere: setup.folderHere }),
      hideSecrets: hidingSecrets(setup, log),
      skipGates: request.skipGates ?? false,
      canAsk: ask !== undefined,
      activeSecondsBefore: recall.activeMs / 1000,
      reusedBehind: setup.retriesItems ? new ReusedBehindRetry() : undefined,
      cache: ground.cache,
      turns: ground.turns,
      guard: ground.guard,
      keyframes: keepsKeyframes(setup, request, ground)
        ? keepingKeyframes({
            env: session.env,
            log,
            facts: setup.keyframes.facts,
            recall: setup.keyframes.recall,
            state,
            exporting,
            digest: () => keyframeDigest(setup, request, ground.hashing),
            commit: () => port.commit(),
          })
        : undefined,
      startsFresh: (frame, node) => {
        countVisit();
        fresh ||= frame.depth === 0 && node === from;
        return fresh;
      },
      rerunsChangedFiles: changedFiles ?? false,
      skipsWaits: request.skipWaits ?? false,
      inject: scripted?.inject,
      endOrphan: ({ pid, started_at }) => endProcessGroup(pid, started_at),
      endAttempt,
      defect: (problem) => debug(session.env, problem),
      allowMore: async (reached) => (await listeners.askForMore?.(reached)) ?? 0,
    };
    const root: RootRun = {
      workflow,
      inputs: setup.inputs,
      maxIterations: request.maxIterations,
      maxVisits: request.maxVisits,
      reuse: force !== true,
      signal: stop.signal,
      startsOver: force === true || from !== undefined,
      start: setup.keyframes?.start,
    };
    interpreting = setup.lostItems
      ? interpretLostItems(engine, root, setup.lostItems).then(() => undefined)
      : interpretRoot(engine, root);
    const reached = await Promise.race([interpreting, left, ...(leaving ? [leaving.left] : [])]);
    // The last step and the run's end are one commit; what a scenario overrules, it reads of the state first.
    if (scripted) await port.commit();
    // A run whose lost items were tried again has its end already.
    if (reached)
      conclude(scripted?.overrule(reached, state) ?? reached, port.note, {
        elapsed: (clock.now() - began) / 1000,
        errorsJsonl,
        stoppedBy: signal?.reason instanceof StoppedBy ? signal.reason.person : undefined,
      });
    await port.end();
    const { failure } = exporting.errors;
    if (failure) {
      port.note([], "errors_jsonl_write_failed", { reason: failure.reason, path: errorsJsonl });
      await port.end();
    }
  } catch (problem) {
    // The store failed, or there is a defect: what still runs is ended, and nothing half-written looks whole.
    stop.abort(problem);
    port.abandon();
    // The next drive may start the same step again: it is over here before that can happen.
    if (problem === signal?.reason) await interpreting?.catch(() => {});
    throw problem;
  } finally {
    stopHearing();
    signal?.removeEventListener("abort", cancel);
  }
}

/** What only a walk can tell is not in a keyframe: what a guard holds, what was trimmed from the context, what was produced. */
const keepsKeyframes = (
  setup: DriveSetup,
  { rerun: { from, force, changedFiles } = {} }: DriveRequest,
  { guard, log }: DriveGround,
): setup is DriveSetup & Required<Pick<DriveSetup, "keyframes">> =>
  setup.keyframes !== undefined &&
  !areKeyframesOff(setup.session.env) &&
  log.keepKeyframe !== undefined &&
  guard === undefined &&
  setup.scripted === undefined &&
  setup.lostItems === undefined &&
  setup.workflow.definition.workflow.context.max_tokens === undefined &&
  !familyOf(setup.workflow).some(({ definition }) =>
    stepsOf(definition).some((step) => "produces" in step && step.produces),
  ) &&
  !(from !== undefined || force || changedFiles);

function debug(env: Session["env"], problem: unknown): void {
  const text = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem);
  if (env.SEGNO_DEBUG === "1") process.stderr.write(`${environmentRedactor(env).text(text)}\n`);
}

/** Ten thousand items with a secret each are data: every text would be searched for each of them. */
const MOST = 1_000;

/**
 * Secret inputs of sub-workflows come up while the run goes on: learned, and kept, when the child begins. What held them
 * before is hidden too whenever the run is looked at.
 */
function hidingSecrets({ redactor, split }: Pick<DriveSetup, "redactor" | "split">, log: KeepingLog) {
  const hidden = new Set(textsOf(split.secrets));
  return (secrets: Readonly<Record<string, unknown>>): void | Promise<void> => {
    const fresh = [...new Set(textsOf(secrets))].filter((text) => text !== "" && !hidden.has(text));
    const taken = fresh.slice(0, Math.max(0, MOST - hidden.size));
    if (taken.length === 0) return undefined;
    for (const secret of taken) {
      hidden.add(secret);
      redactor.learn(secret, "secret input");
    }
    return log.keepMet?.({ secrets: [], shortSecrets: taken });
  };
}

// People who can be asked in this process: at its terminal, or by the function of a library's user. The answering
// person is the owner of the process, whatever the answer itself says.

interface AskingHere extends Pick<Session, "project" | "reader">, Pick<DriveListeners, "askedVia"> {
  readonly runId: string;
}

/** The face asks; Segno says whose answer it is, and how it came. */
const askHere =
  (ask: FaceAsker, here: AskingHere): Asker =>
  async (question, signal, progress) => {
    const { askedVia: via = "terminal" } = here;
    const who = processOwner(here.project?.people);
    const refusal = refusalFor(question, via, who, here);
    // A copy: who may answer is judged by the engine's own, whatever a program does to the one that it is given.
    const answer = await ask(structuredClone(question), signal, {
      person: who.person,
      refusal,
      // Nor do parts of an answer count that does not.
      progress: refusal === undefined ? progress : undefined,
    });
    return answer && signed(answer, { by: via, ...who });
  };

/** Whatever the answer says of itself is a claim; a program that is not typed may have put anything into it. */
function signed(answer: Unsigned, answerer: Answerer): Answer {
  const { by, person: _, user: _user, claims: _claims, ...said } = answer as Unsigned & Partial<Answerer>;
  const claims = typeof by !== "string" || by === answerer.by ? {} : { claims: by };
  return { ...said, ...answerer, ...claims } as Answer;
}

const WHO_YOU_ARE = {
  no_approver: "who is not an approver",
  changed_run: "who resumed the run with other inputs or another file (four_eyes)",
  started_run: "who started the run (four_eyes)",
} as const;

/** Who may answer instead, and how; nothing when the person here may. */
function refusalFor(
  question: Question,
  via: string,
  who: KnownPerson,
  { runId, reader = COMMAND_LINE }: AskingHere,
): string | undefined {
  if (question.kind === "dialog") return undefined;
  const why = notCounting(question, { by: via, ...who });
  if (why === undefined || why === "agent" || why === "unknown") return undefined;
  const command = reader.ask({ to: "answer", run: runId });
  return [
    `${question.node} needs an answer from ${whoMay(question)}.`,
    `You are ${who.person}, ${WHO_YOU_ARE[why]}.`,
    ...(command === null ? [] : [`They answer with: ${command}`]),
  ].join(" ");
}

function whoMay({ approvers, not_by, nor_by = [] }: Waiting): string {
  const others = new Set([...(not_by === undefined ? [] : [not_by]), ...nor_by]);
  const left = approvers?.filter((name) => !others.has(name)) ?? [];
  return left.length > 0 ? left.join(" or ") : `someone other than ${[...others].join(" and ")}`;
}
