// What each address does: asks a service and puts what it gives in the contract's form. No decisions are made here.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { z } from "zod";
import type { Result } from "../../base/results/index.ts";
import { evalShown, evalsShown, hasEvals } from "../../features/evals/past-evals.ts";
import { backtest } from "../../features/history/backtest.ts";
import { recordScenario } from "../../features/history/record.ts";
import { spansOfRun } from "../../features/telemetry/trace/index.ts";
import { listTriggers, triggerHistory } from "../../features/triggers/index.ts";
import { listLetters, showLetter } from "../../services/dead-letters/letters.ts";
import { whyNotRetried } from "../../services/dead-letters/view.ts";
import { explainRun } from "../../services/explain/index.ts";
import { Refused } from "../../services/refusals.ts";
import { type BreakerView, listBreakers } from "../../services/resilience/breakers.ts";
import { listLimits } from "../../services/resilience/limits/list-limits.ts";
import { confineFamily, confinePlace, confineRun, ofRunsBelow } from "../../services/runs/roots.ts";
import { showRun } from "../../services/runs/runs.ts";
import { statsOfRuns } from "../../services/runs/stats.ts";
import { joined } from "../../services/session/exit.ts";
import { programName } from "../../services/session/program-name.ts";
import { putExample } from "../../services/workflows/init.ts";
import { gatesShown } from "./commands/gates-shown.ts";
import type { ADDRESSES, AddressName } from "./contract/addresses.ts";
import type { SessionNowJson } from "./contract/values.ts";
import { accepted, NotFound, refusedBy } from "./problems.ts";
import { forPage } from "./reader.ts";
import { type ServedRuns, serverTime } from "./served-runs.ts";
import { errorsAcrossRuns } from "./views/errors-across-runs.ts";
import { inputIn } from "./views/run-filter.ts";
import { workersShown } from "./views/run-list.ts";
import { logPage } from "./views/run-past.ts";
import { snapshotOf } from "./views/snapshot.ts";
import { stepDetail } from "./views/step-detail.ts";
import type { WatchedRun } from "./views/watched-run.ts";
import { coverageOf, goInEditor, planOf, workflowShown, workflowsShown } from "./views/workflow-shown.ts";

// One request to an address of the contract, read and checked: what its handler gets.

type Table = typeof ADDRESSES;
type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type Part<Name extends AddressName, Field extends "query" | "body"> = Table[Name] extends {
  readonly [Key in Field]: infer Schema;
}
  ? Parsed<Schema>
  : undefined;

export interface AddressCall<Name extends AddressName> extends Place {
  readonly query: Part<Name, "query">;
  readonly body: Part<Name, "body">;
}

interface Place {
  /** Decoded, by name; one that stands for several segments has them all. */
  readonly segments: Readonly<Record<string, readonly string[]>>;
  readonly serving: ServedRuns;
}

type HttpHandler<Name extends AddressName> = (asked: AddressCall<Name>) => Promise<object> | object;

const one = ({ segments }: Place, name: string): string => segments[name]?.[0] ?? "";
const file = ({ segments }: Place): string => (segments["file"] ?? []).join("/");
/** What was folded early may hold what became known as a secret later: the answer leaves with what is known when it does. */
async function runOf(asked: Place): Promise<WatchedRun> {
  const run = await asked.serving.watched.get(one(asked, "run"));
  joined(asked.serving.session, run.redactor);
  return run;
}

const idOf = (asked: Place): Promise<string> => asked.serving.watched.idOf(one(asked, "run"));

/** The workflow file that is named, with all that it calls, is below the root. */
const confinedFile = (asked: Place): string =>
  confineFamily(file(asked), [asked.serving.root], asked.serving.session).file;

const timed = (answer: object): object => ({ ...answer, server_time: serverTime() });

export const sessionNow = (serving: ServedRuns): SessionNowJson => ({
  person: serving.person,
  known_by: serving.session.person === undefined ? "machine" : "token",
  version: serving.version,
  read_only: serving.readOnly,
  fleet: serving.watched.store.fleet !== undefined,
  root: serving.root,
  program: programName(serving.session.env),
  preview: serving.preview !== undefined,
  server_time: serverTime(),
});

/** Sessions are opened at the door itself. */
export const HANDLERS: { readonly [Name in Exclude<AddressName, "openSession">]: HttpHandler<Name> } = {
  session: ({ serving }) => sessionNow(serving),
  contents: async ({ serving: { watched, session, drives } }) => {
    const { state, fleet } = watched.store;
    const [letters, breakers, limits] = await Promise.all([
      state.letters.unsettled(),
      state.breakers.list(),
      state.limits.list(),
    ]);
    return {
      letters: letters.length > 0,
      breakers: breakers.length > 0,
      limits: limits.length > 0,
      evals: hasEvals(session),
      triggers: (drives?.triggers.length ?? 0) > 0,
      workers: fleet !== undefined,
    };
  },

  runs: async ({ serving, query }) => timed(await serving.list.page(query)),
  stats: async ({ serving, query }) => {
    const { file, input, ...wanted } = query;
    const { watched, session } = serving;
    const asked = {
      ...wanted,
      file: file === undefined ? undefined : confinePlace(file, [serving.root]),
      inputs: inputIn(input),
    };
    const answer = accepted(await statsOfRuns(session, asked, (one) => watched.isShown(one)));
    const { since, until, runs, more, without_steps, workflows } = answer;
    return { since, until, runs, more, without_steps, workflows };
  },
  run: async (asked) => timed(await snapshotOf(await runOf(asked), asked.serving.watched, forPage(asked.serving))),
  result: async (asked) => whole(await showRun(forPage(asked.serving), { run: await idOf(asked) })),
  events: async (asked) => logPage(await runOf(asked), asked.query),
  keyframes: async (asked) => {
    const { at } = asked.query;
    const run = await runOf(asked);
    const keyframes = asked.serving.keyframesOf(run);
    await keyframes.catchUp();
    if (at === undefined) return { last_seq: run.position, every: keyframes.every, keyframes: keyframes.moments };
    const { keyframe, events, until } = keyframes.at(at);
    return { ...keyframe, events, until, last_seq: run.position };
  },
  step: async (asked) => {
    const { serving, query, segments } = asked;
    const wanted = { ...query, step: segments["step"] ?? [], session: serving.session };
    return stepDetail(await runOf(asked), serving.watched, wanted);
  },
  printed: async (asked) => asked.serving.printed.rows(await runOf(asked), asked.query),
  printedFound: async (asked) => asked.serving.printed.find(await runOf(asked), asked.query),
  explain: async (asked) => {
    const failedItems = asked.query.failed_items === "1";
    const answer = await explainRun(forPage(asked.serving), { run: await idOf(asked), failedItems });
    if (!answer.success && answer.run === null) throw refusedBy(answer);
    return { run: answer.run, chapters: answer.chapters, resume: answer.resume, next: answer.next };
  },
  trace: async (asked) => {
    const answer = await spansOfRun(asked.serving.session, { run: await idOf(asked) });
    const { run_id, trace_id, spans } = accepted(answer);
    return { run_id, trace_id, spans };
  },

  start: ({ serving, body: { max_iterations, ...body } }) =>
    serving.commands.start({ ...body, maxIterations: max_iterations }),
  resume: (asked) => {
    const { from, force, failed_items, changed_files, max_iterations, max_visits, take_over, ...rest } = asked.body;
    return asked.serving.commands.resume({
      ...rest,
      run: one(asked, "run"),
      rerun: { from, force, failedItems: failed_items, changedFiles: changed_files },
      maxIterations: max_iterations,
      maxVisits: max_visits,
      takeOver: take_over,
    });
  },
  cancel: (asked) => asked.serving.commands.cancel(one(asked, "run"), asked.body.seq),
  record: async (asked) => {
    const { session, root } = asked.serving;
    const run = await idOf(asked);
    await confineRun(run, [root], session);
    const answer = await recordScenario(session, {
      run,
      until: asked.body.until,
      confine: (place) => void confinePlace(place, [root]),
    });
    const { file: written, passed, problems, notes, run_id } = answer;
    if (written === null) throw refusedBy(answer);
    const yaml = readFileSync(resolve(session.cwd, written), "utf8");
    return { run_id, file: written, yaml, passed, problems, notes };
  },

  backtest: async (asked) => {
    const { serving, query } = asked;
    const answer = await backtest(serving.session, { file: confinedFile(asked), limit: query.runs });
    const { file: played, newest, counts, runs, groups } = accepted(answer);
    return { file: played, newest, counts, runs, groups };
  },
  evals: ({ serving }) => timed({ evals: evalsShown(serving.session) }),
  eval: (asked) => {
    const id = one(asked, "eval");
    const shown = evalShown(id, asked.serving.session);
    if (!shown) throw new NotFound(`there is no eval ${id} of a workflow below ${asked.serving.root}`);
    return shown;
  },

  errors: async ({ serving: { list, watched, session }, query }) =>
    timed(await errorsAcrossRuns(list, watched, query, session)),
  gates: async ({ serving }) => {
    const left_out: string[] = [];
    const leftOut = (text: string): void => void left_out.push(text);
    const gates = await gatesShown(serving.watched, { ...serving.session, leftOut });
    return timed({ gates, left_out });
  },
  answer: (asked) => asked.serving.commands.answer({ ...asked.body, gate: one(asked, "gate") }),

  letters: async ({ serving, query: { all, ...query } }) => {
    const answer = accepted(await listLetters(serving.session, { ...query, all: all === "1" }));
    const letters = await ofRunsBelow(answer.letters, [serving.root], serving.session);
    const whyNot = await whyNotRetried(serving.watched.store, letters);
    return timed({ letters: letters.map((letter, index) => ({ ...letter, why_not: whyNot[index] ?? null })) });
  },
  letter: async (asked) => {
    const { serving } = asked;
    const id = one(asked, "letter");
    const answer = await showLetter(serving.session, { id });
    if (!answer.success)
      throw new NotFound(answer.errors[0]?.message ?? "there is no such letter", answer.errors[0]?.hint);
    const [letter] = await ofRunsBelow(answer.letters, [serving.root], serving.session);
    if (!letter) throw new NotFound(`there is no dead letter ${id} of a run that is shown here`);
    const [why_not = null] = await whyNotRetried(serving.watched.store, [letter]);
    return { ...letter, why_not };
  },
  retry: ({ serving, body }) => serving.commands.retry(body),
  drop: async ({ serving, body }) => ({ letters: await serving.commands.drop(body) }),
  retryPlan: async ({ serving, body }) => ({ runs: await serving.commands.planOfRetry(body) }),

  limits: async ({ serving }) => {
    const { limits, resets } = accepted(await listLimits(serving.session));
    return timed({ limits, resets });
  },
  breakers: async ({ serving }) => withProbes(accepted(await listBreakers(serving.session)).breakers),
  reset: async (asked) => withProbes(await asked.serving.commands.reset(one(asked, "breaker"), asked.body.opened_at)),
  workers: async ({ serving }) => timed(await workersShown(serving.watched)),

  triggers: async ({ serving: { session, drives } }) => {
    if (!drives) return timed({ triggers: [] });
    const { triggers } = accepted(await listTriggers({ ...session, cwd: drives.dir }, { now: Date.now() }));
    return timed({ triggers });
  },
  triggerHistory: async (asked) => {
    const { session, drives } = asked.serving;
    const name = one(asked, "trigger");
    if (!drives) throw new NotFound(`there is no trigger ${name}: this server stands in no trusted project`);
    const request = { name, limit: asked.query.limit };
    const { firings, warnings } = accepted(await triggerHistory({ ...session, cwd: drives.dir }, request));
    return timed({ firings, hindered: warnings.map(({ message }) => message) });
  },
  pauseTrigger: async (asked) =>
    timed({ triggers: await asked.serving.triggerCommands.pause(one(asked, "trigger"), asked.body.paused) }),
  fireTrigger: async (asked) => {
    const fired = await asked.serving.triggerCommands.fire({ ...asked.body, name: one(asked, "trigger") });
    asked.serving.wakeTriggers?.();
    return fired;
  },

  workflows: ({ serving }) => timed(workflowsShown(serving.session, serving.checkedFiles)),
  workflow: async (asked) => {
    const { list, shownFiles } = asked.serving;
    return (await workflowShown(file(asked), list, shownFiles, asked.query.unless)) ?? { unchanged: true };
  },
  coverage: async (asked) => coverageOf(file(asked), asked.serving.shownFiles, asked.serving.session),
  editor: async (asked) => {
    const { preview, shownFiles, session } = asked.serving;
    if (preview === undefined) throw new NotFound("only the page of `segno graph --watch` leads to an editor");
    const shown = await goInEditor(file(asked), asked.body, shownFiles, session);
    if (!shown) throw new NotFound(`there is no ${asked.body.node ?? "place"} in ${file(asked)}`);
    return shown;
  },
  example: ({ serving, body }) => ({ file: putExample(body.name, serving.root) }),
  plan: async (asked) => planOf(file(asked), asked.body.inputs, asked.serving.session),
};

/** When an open one lets the next call through, as a time: a page's clock may be wrong. */
const withProbes = (breakers: readonly BreakerView[]): object =>
  timed({
    breakers: breakers.map((view) => ({
      ...view,
      next_probe_at:
        view.retry_after_seconds === null ? null : new Date(Date.now() + view.retry_after_seconds * 1000).toISOString(),
    })),
  });

/** A result of a run; what was refused is no result. */
function whole(result: Result): Result {
  if (result.status === "invalid" && result.execution === null) throw new Refused(result);
  return result;
}
