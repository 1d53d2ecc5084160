// `segno repair`: lets a model propose a change of the failing step, proves it, asks, writes it with a backup and
// resumes, until the run goes through or nothing helps. What it cannot fix it leaves as it was.
import { COMMAND_LINE, type Result } from "../../../base/results/index.ts";
import { withRefusals } from "../../../services/refusals.ts";
import type { DriveListeners } from "../../../services/request.ts";
import { resumeRun } from "../../../services/runs/resume.ts";
import { shownPath } from "../../../services/session/files.ts";
import { actingPerson } from "../../../services/session/people.ts";
import type { Session } from "../../../services/session/session.ts";
import { type Proof, type ProofLine, prove } from "../proof.ts";
import { type FailingStep, findFailing, isSameError, showFile, WrittenFiles } from "./failing.ts";
import { askModel, judge, type Proposal } from "./proposal.ts";

export { type Proof, type ProofLine, proofMarkdown } from "../proof.ts";
export type { Proposal } from "./proposal.ts";

export interface RepairSettings {
  /** Without asking; then only templates of the failing step may change. */
  readonly yes?: boolean;
  /** How often the model is asked; 3 when left out. */
  readonly attempts?: number;
  readonly provider?: string;
  readonly model?: string;
}

export interface RepairRequest extends RepairSettings {
  readonly run: string;
  /** Other runs with the same failure, which go on with the same change: the proof is about them as well. */
  readonly others?: readonly string[];
  /** Called with progress, for a user who watches. */
  readonly tell?: (news: RepairNews) => void;
}

export type RepairNews =
  | { readonly type: "asking"; readonly attempt: number; readonly attempts: number; readonly node: string | null }
  | { readonly type: "proposed"; readonly proposal: Proposal; readonly proof: Proof }
  | { readonly type: "refused"; readonly reason: string }
  | { readonly type: "restored"; readonly file: string };

export interface RepairAttempt {
  readonly node_id: string | null;
  readonly kind: string | null;
  readonly verdict: "written" | "refused" | "declined" | "no_answer";
  readonly reason: string | null;
  readonly explanation?: string;
  readonly file?: string;
  readonly diff?: string;
  /** What was checked before the change was offered. */
  readonly proof?: readonly ProofLine[];
}

/** The run's result after all, with what was tried. */
export interface RepairAnswer extends Result {
  readonly repair?: {
    readonly fixed: boolean;
    /** Why it stopped, when it did not fix the run. */
    readonly reason: string | null;
    readonly attempts: readonly RepairAttempt[];
    readonly backups: readonly string[];
  };
}

const ATTEMPTS = 3;

export const repairRun = (
  session: Session,
  request: RepairRequest,
  listeners: DriveListeners = {},
): Promise<RepairAnswer> =>
  withRefusals(session, async (own) => new Repair(own, request, listeners).go(await findFailing(request.run, own)));

class Repair {
  readonly #files = new WrittenFiles();
  readonly #attempts: RepairAttempt[] = [];
  /** What was changed for the step that is being repaired, so that it can be taken back. */
  #changed: Pick<Proposal, "file" | "node" | "before" | "after"> | undefined;

  constructor(
    private readonly session: Session,
    private readonly request: RepairRequest,
    private readonly listeners: DriveListeners,
  ) {}

  async go(first: FailingStep): Promise<RepairAnswer> {
    const { attempts = ATTEMPTS, tell, yes } = this.request;
    const { ask, signal } = this.listeners;
    const { reader = COMMAND_LINE } = this.session;
    if (!yes && !ask)
      return this.#stop(
        first,
        `no one can be asked whether to write the change; ${reader.give({ what: "option", name: "yes" })} allows changes of the failing step`,
      );
    let failing = first;
    let problem: string | undefined;
    for (let attempt = 1; attempt <= attempts; attempt++) {
      if (signal?.aborted) return this.#stop(failing, "it was stopped");
      tell?.({ type: "asking", attempt, attempts, node: failing.node });
      const proposed = await this.#propose(failing, problem);
      if ("stop" in proposed) return this.#stop(failing, proposed.stop);
      if ("problem" in proposed) {
        problem = proposed.problem;
        continue;
      }
      problem = undefined;
      const { proposal, proof } = proposed;
      if (!(await this.#isWanted(proposal, proof))) {
        const { explanation, diff } = proposal;
        this.#note(failing, "declined", null, { explanation, diff, proof: proof.lines });
        return this.#stop(failing, "the change was declined");
      }
      if (!this.#write(proposal, proof, failing)) return this.#stop(failing, `${proposal.file} was changed meanwhile`);
      const result = await this.#resume(failing.runId);
      // It went through, waits for a person, was stopped; or what is left is nothing that a change of the file helps.
      if (result.status !== "failed") return this.#answer(result, null);
      const next = await withRefusals(this.session, () => findFailing(failing.runId, this.session));
      if ("schema" in next) return this.#answer(result, next.error);
      const isSame = isSameError(failing, next);
      failing = next;
      if (isSame) return this.#stop(failing, "the same error came back");
    }
    return this.#stop(failing, `${attempts === 1 ? "one attempt was" : `${attempts} attempts were`} not enough`);
  }

  /** A proposal that may be shown; or why the answer cannot be used; or why asking again is of no use. */
  async #propose(
    failing: FailingStep,
    problem: string | undefined,
  ): Promise<{ proposal: Proposal; proof: Proof } | { problem: string } | { stop: string }> {
    const { provider, model, yes: unattended = false, others = [] } = this.request;
    const { signal } = this.listeners;
    const { cwd, env, extensions } = this.session;
    const shown = showFile(failing.text, failing.redactor);
    if (!shown)
      return {
        stop: `${failing.workflow.file} holds a secret over several lines and is not sent; move it to the environment`,
      };
    const answer = await askModel(failing, shown.text, { env, provider, model, signal, problem });
    if (!answer.ok) {
      this.#note(failing, "no_answer", answer.reason);
      return answer.unreachable ? { stop: answer.reason } : { problem: answer.reason };
    }
    const judged = judge(answer, failing, shown, { cwd, env, extensions, unattended });
    if (!judged.ok) {
      this.#note(failing, "refused", judged.reason);
      return { problem: judged.reason };
    }
    const { proposal, root: after } = judged;
    const proof = await prove({ runId: failing.runId, others, before: failing.root, after }, this.session);
    if (proof.holds) return { proposal, proof };
    const reason = proof.lines
      .filter(({ holds }) => !holds)
      .map(({ said }) => said)
      .join("; ");
    const { explanation, diff } = proposal;
    this.#note(failing, "refused", reason, { explanation, diff, proof: proof.lines });
    return { problem: reason };
  }

  async #isWanted(proposal: Proposal, proof: Proof): Promise<boolean> {
    const { yes, tell, others = [] } = this.request;
    const { ask, signal } = this.listeners;
    const { cwd } = this.session;
    const runs = others.length === 0 ? "the run" : "all runs that get past this failure";
    tell?.({ type: "proposed", proposal, proof });
    if (yes) return true;
    const answer = await ask?.(
      {
        kind: "gate",
        node: "repair",
        key: "repair",
        prompt: `${proposal.explanation}\n\nWrite this change to ${shownPath(proposal.file, cwd)} and resume ${runs}?`,
        options: [
          { label: "Yes, write it and resume", value: "yes" },
          { label: "No, leave the file as it is", value: "no" },
        ],
      },
      signal ?? new AbortController().signal,
      { person: actingPerson(this.session) },
    );
    return answer?.kind === "gate" && answer.value === "yes";
  }

  #write(
    { file, node, before, after, explanation, diff }: Proposal,
    { lines: proof }: Proof,
    failing: FailingStep,
  ): boolean {
    if (!this.#files.write(file, before, after)) return false;
    const again = this.#changed?.file === file && this.#changed.node === node ? this.#changed : undefined;
    this.#changed = { file, node, before: again?.before ?? before, after };
    this.#note(failing, "written", null, { explanation, file: shownPath(file, this.session.cwd), diff, proof });
    return true;
  }

  #resume(runId: string): Promise<Result> {
    // The model that repairs is not the one that the run asks.
    return resumeRun(this.session, { target: runId, inputs: {} }, this.listeners);
  }

  #note(
    { node, error }: FailingStep,
    verdict: RepairAttempt["verdict"],
    reason: string | null,
    more: Partial<RepairAttempt> = {},
  ): void {
    if (reason !== null) this.request.tell?.({ type: "refused", reason });
    this.#attempts.push({ node_id: node, kind: error.kind, verdict, reason, ...more });
  }

  /** The step still fails: the file is as it was before this step was touched. Changes that helped other steps stay. */
  #stop(failing: FailingStep, reason: string | null): RepairAnswer {
    const changed = this.#changed;
    if (changed && changed.node === failing.node && changed.file === failing.workflow.file) {
      this.#files.restore(changed.file, changed.after, changed.before);
      this.request.tell?.({ type: "restored", file: shownPath(changed.file, this.session.cwd) });
    }
    return this.#answer(failing.result, reason ?? "it could not be repaired");
  }

  #answer(result: Result, reason: string | null): RepairAnswer {
    const backups = this.#files.backups;
    return { ...result, repair: { fixed: reason === null, reason, attempts: this.#attempts, backups } };
  }
}
