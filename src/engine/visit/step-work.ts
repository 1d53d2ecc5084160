// Steps that an executor does: all types but those of which `work-of.ts` says that the engine carries them out itself.
import type { Outcome } from "../../base/errors/index.ts";
import { dialogKey } from "../../base/events/key.ts";
import type { AgentStep, Step } from "../../language/schema/index.ts";
import { envelopesRaised, raisesToolErrors } from "../../language/schema/opting-in.ts";
import type { EarlierSession } from "../../steps/caller.ts";
import type { Attempt, Executor, StepScope } from "../../steps/step-type.ts";
import type { Scope } from "../../template/index.ts";
import { beforeItRan, over } from "../context/scope.ts";
import type { WorkflowFrame } from "../frame.ts";
import { budgetLeftUsd } from "../limits/limits.ts";
import type { DialogQuestion } from "../people/ask.ts";
import { StepPermissions } from "../people/permission.ts";
import { optingInOfStep } from "./settle.ts";
import { routesOf, type Work, type WorkAttempt, type WorkEnd } from "./work.ts";

export function stepWork(frame: WorkflowFrame, step: Step): Work {
  const { engine, place: workflow } = frame;
  const executor = engine.executor(step.type) as Executor<Step, unknown>;
  return {
    name: step.name,
    type: step.type,
    version: executor.version,
    step,
    routes: routesOf(step),
    timeoutSeconds: timeoutOf(step),
    isContainer: false,
    isPure: executor.isPure ?? false,
    prepare: (scope, locals) => executor.prepare(step, scopeOf(frame, step.name, scope, locals)),
    hashed(prepared) {
      const values = executor.hashed ? executor.hashed(prepared) : prepared;
      const { files } = engine.world;
      if (step.type !== "script" || step.files.length === 0 || !files) return values;
      return { values, files: files.matched(step.files, workflow) };
    },
    run(prepared, work) {
      const ask = step.type === "agent" && step.dialog ? dialogWith(frame, step.name, work) : undefined;
      const attempt: Attempt = {
        node: step.name,
        key: work.key,
        attempt: work.attempt,
        path: frame.path,
        workflow,
        signal: work.signal,
        idempotencyKey: work.idempotencyKey,
        clock: engine.clock,
        spillDir: engine.spillDir,
        worker: engine.worker,
        world: engine.world,
        waitingSince: work.waitingSince,
        beginWait: work.beginWait,
        breakers: work.breakers,
        turns: engine.turns,
        assertLease: work.assertLease,
        ask,
        emit: work.emit,
      };
      if (step.type === "agent")
        return runAgent(frame, step, work, (more) => executor.execute(prepared, { ...attempt, ...more }));
      const keepsToolErrors =
        step.type === "mcp" && !raisesToolErrors(optingInOfStep(frame, step, work.member?.routes));
      const outcome = executor.execute(prepared, keepsToolErrors ? { ...attempt, keepsToolErrors } : attempt);
      return outcome instanceof Promise ? outcome.then(workEnd) : workEnd(outcome);
    },
  };
}

const workEnd = (outcome: Outcome): WorkEnd => ({ type: "outcome", outcome });

/** An agent may go on in an earlier session, ask a person for permission, and be ended by a budget in the middle. */
async function runAgent(
  frame: WorkflowFrame,
  step: AgentStep,
  work: WorkAttempt,
  execute: (more: Partial<Attempt>) => Outcome | Promise<Outcome>,
): Promise<WorkEnd> {
  const { durable } = frame.engine;
  const permissions = new StepPermissions(frame, step.name, work);
  await permissions.askWhatIsOpen();
  if (permissions.pending) return { type: "paused", question: permissions.pending, path: frame.path };
  const outcome = await execute({
    session: earlierSession(frame, step, work),
    permissions,
    envelopes: envelopesRaised(optingInOfStep(frame, step, work.member?.routes)),
    budgetLeftUsd: () => budgetLeftUsd(frame),
    recorded: async () => durable.commit(),
  });
  const { pending } = permissions;
  return pending && !work.signal.aborted ? { type: "paused", question: pending, path: frame.path } : workEnd(outcome);
}

function earlierSession(frame: WorkflowFrame, step: AgentStep, { key }: WorkAttempt): EarlierSession | undefined {
  if (!frame.reuse) return undefined;
  const { recall } = frame.engine.durable;
  const own = recall.get(key)?.session;
  const named = step.session_key === undefined ? undefined : recall.namedSessions.get(step.session_key);
  if (!own && named === undefined) return undefined;
  return { id: "", provider: "", ...own, interrupted: own !== undefined, ...(named === undefined ? {} : { named }) };
}

export const scopeOf = (
  frame: WorkflowFrame,
  node: string,
  names: StepScope["names"],
  locals: Readonly<Record<string, unknown>>,
): StepScope => ({
  names,
  everything: seenBy(frame, node, over(locals, frame.context.everything)),
  node,
  workflow: frame.place,
  raising: {
    inPlaceOfOutput: frame.workflow.definition.semantics.tellsToRaiseInPlaceOfOutput,
    fromRaw: frame.workflow.definition.semantics.raisesFromRawAnswers,
  },
  mcpOutput: frame.workflow.definition.semantics.mcpOutput,
  templates: (field) => frame.workflow.templatesAt([...frame.workflow.pathOf(node), field]),
});

const seenBy = ({ context }: WorkflowFrame, node: string, scope: Scope): Scope =>
  context.view(node) === undefined ? beforeItRan(node, scope) : scope;

function timeoutOf(step: Step): number | undefined {
  if ("timeout" in step && step.timeout !== undefined) return step.timeout;
  return "timeout_seconds" in step ? step.timeout_seconds : undefined;
}

/** How an agent talks with a person while it runs: each turn is a question of its own, so that anybody may answer it. */
function dialogWith(frame: WorkflowFrame, node: string, attempt: Pick<WorkAttempt, "key" | "signal">): Attempt["ask"] {
  const { durable, canAsk, skipGates } = frame.engine;
  if (!canAsk || skipGates) return undefined;
  let turn = 0;
  return async (prompt) => {
    turn += 1;
    const question: DialogQuestion = { kind: "dialog", node, key: dialogKey(attempt.key, turn), prompt };
    const answer = await durable.ask(frame.path, question, attempt.signal);
    return answer?.kind === "dialog" ? answer.text : null;
  };
}
