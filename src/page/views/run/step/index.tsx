// The step that is chosen: its visits and attempts, and of one attempt all that is known.
import { useComputed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { RunEvent } from "../../../../events/registry.ts";
import { completedWithout } from "../../../../graph/lights.ts";
import type { RunSnapshotJson } from "../../../../server/contract/run.ts";
import type { AttemptJson, StepJson, VisitJson } from "../../../../server/contract/step.ts";
import { apiPath, get } from "../../../api/client.ts";
import { Button, Icon, type State, StepState } from "../../../parts/button.tsx";
import { PaneTrouble } from "../../../parts/pane.tsx";
import { durationText } from "../../../parts/text.ts";
import { useKeys } from "../../../state/keys.ts";
import { type Loaded, useLoaded } from "../../../state/loaded.ts";
import { itemMeant, lightAt } from "../../../state/run-lights.ts";
import type { RunModel, RunMoment } from "../../../state/run-model.ts";
import { chooseAttempt, chooseStep, chooseVisit, type Selection, selection } from "../../../state/selection.ts";
import { type StepAddress, stepText } from "../../../state/step-address.ts";
import { AttemptView } from "./attempt.tsx";
import { ItemList, StepActions, StepFile } from "./file.tsx";
import { QuestionView } from "./question.tsx";

interface StepPanelProps {
  readonly model: RunModel;
  readonly about: RunSnapshotJson;
  readonly moment: RunMoment;
  readonly step: StepAddress;
}

const STATES: Readonly<Record<VisitJson["status"], State>> = {
  running: "running",
  completed: "completed",
  failed: "failed",
  recovered: "recovered",
  cancelled: "cancelled",
  cut_off: "failed",
  paused: "waiting",
  reused: "reused",
};

export function StepPanel({ model, about, moment, step }: StepPanelProps) {
  const chosen = useComputed(() => selection.value).value;
  const loaded = useStep({ model, moment, step }, { ...chosen, item: chosen.item ?? itemMeant(moment, step) });
  const known = loaded.value.value;
  const visit = known?.visit ?? null;
  const numbers = known?.visits.map((one) => one.visit) ?? [];
  const move = (by: number): void => {
    const next = numbers[numbers.indexOf(visit?.visit ?? -1) + by];
    if (next !== undefined) chooseVisit(next);
  };
  useKeys("step", { before: () => move(-1), next: () => move(1) });
  return (
    <div class="step">
      <header class="step-head">
        <div class="row">
          <h2 class="cut" title={stepText(step)}>
            {step.path.length > 0 && <span class="soft">{step.path.join(" / ")} / </span>}
            {step.node}
          </h2>
          {visit && (
            <VisitStatus
              visit={visit}
              light={lightAt(moment, step, visit.item_key)}
              lost={known?.items.filter(({ status }) => status === "failed").length ?? 0}
            />
          )}
          <span class="grow" />
          <Button
            is="plain icon-only"
            icon="close"
            aria-label="Close the step"
            title="Close (esc)"
            onClick={() => chooseStep(null)}
          />
        </div>
        {known && <StepFacts known={known} />}
      </header>
      {loaded.problem.value && <PaneTrouble message={`The step: ${loaded.problem.value}`} retry={loaded.reload} />}
      {!known && !loaded.problem.value && <p class="quiet">Loading the step …</p>}
      {known && <StepBody known={known} about={about} />}
    </div>
  );
}

interface VisitStatusProps {
  readonly visit: VisitJson;
  /** What the graph shows of the step. */
  readonly light: ReturnType<typeof lightAt>;
  readonly lost: number;
}

/** The newest visit stands as the graph shows it. A group that went on without some of its members is not all well. */
function VisitStatus({ visit, light, lost }: VisitStatusProps) {
  const word = visit.status.replace("_", " ");
  if (light?.state === "pending")
    return <StepState state="pending" word={`not reached since drive ${visit.drive}: ${word}`} pill />;
  if (visit.status === "completed" && lost > 0)
    return <StepState state="recovered" word={completedWithout(lost)} pill />;
  const own = STATES[visit.status];
  if (light && light.key === visit.key && (light.state !== own || light.word !== null))
    return <StepState state={light.state} word={light.word ?? undefined} pill />;
  return <StepState state={own} word={word} pill />;
}

function StepFacts({ known }: { readonly known: StepJson }) {
  const { type, visits, visit, group } = known;
  return (
    <div class="row wrap small soft">
      {type && <span>{type.replace("_", " ")}</span>}
      {group && <span>in {group}</span>}
      {visit?.item_key && (
        <span>
          item <code>{visit.item_key}</code>
        </span>
      )}
      {visits.length > 1 && (
        <label class="row">
          visit
          <select
            class="chip choice"
            value={visit?.visit}
            onChange={(event) => chooseVisit(Number(event.currentTarget.value))}
          >
            {visits.map((one) => (
              <option value={one.visit} key={one.key}>
                {one.visit} of {visits.length} · {one.status.replace("_", " ")}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}

function StepBody({ known, about }: { readonly known: StepJson; readonly about: RunSnapshotJson }) {
  const { attempts, items, question, answer, requests, visit } = known;
  const wanted = selection.value.attempt;
  const attempt =
    attempts.findLast((one) => one.attempt === wanted?.attempt && one.drive === (wanted.drive ?? one.drive)) ??
    attempts.at(-1);
  return (
    <div class="step-body">
      {!visit && <NotCome item={selection.value.item} />}
      <QuestionView
        question={question}
        answer={answer}
        requests={requests}
        isLive={selection.value.at === null}
        key={visit?.key}
      />
      {items.length > 0 && <ItemList items={items} chosen={selection.value.item} />}
      {attempts.length > 1 && <AttemptTabs attempts={attempts} chosen={attempt} />}
      {attempt && (
        <AttemptView
          attempt={attempt}
          known={known}
          about={about}
          key={`${visit?.key} ${attempt.attempt} ${attempt.drive}`}
        />
      )}
      {visit && <StepActions known={known} about={about} attempt={attempt} />}
      <StepFile known={known} attempt={attempt} />
    </div>
  );
}

const NotCome = ({ item }: { readonly item: string | null }) => (
  <p class="soft">
    {item === null ? (
      "The run has not come here."
    ) : (
      <>
        The run has not come here for the item <code>{item}</code>.
      </>
    )}
  </p>
);

const ATTEMPT_STATES: Readonly<Record<AttemptJson["status"], State>> = {
  running: "running",
  completed: "completed",
  failed: "failed",
  cancelled: "cancelled",
  cut_off: "failed",
  paused: "waiting",
};

interface AttemptTabsProps {
  readonly attempts: readonly AttemptJson[];
  readonly chosen: AttemptJson | undefined;
}

function AttemptTabs({ attempts, chosen }: AttemptTabsProps) {
  const isOfSeveralDrives = new Set(attempts.map(({ drive }) => drive)).size > 1;
  return (
    <div role="tablist" aria-label="Attempts" class="attempts">
      {attempts.map((one) => (
        <button
          type="button"
          role="tab"
          class={`tab low is-${ATTEMPT_STATES[one.status]}`}
          aria-selected={one === chosen}
          key={`${one.drive} ${one.attempt}`}
          onClick={() => chooseAttempt({ drive: isOfSeveralDrives ? one.drive : null, attempt: one.attempt })}
        >
          <span class="status">
            <Icon name={ATTEMPT_STATES[one.status]} />
          </span>
          {isOfSeveralDrives && `drive ${one.drive}, `}attempt {one.attempt}
          <span class="soft">{durationText(one.took_ms)}</span>
        </button>
      ))}
    </div>
  );
}

// All that is known of the step that is chosen, asked again while it changes.

const AGAIN_MS = 300;

function useStep(
  { model, moment, step }: { readonly model: RunModel; readonly moment: RunMoment; readonly step: StepAddress },
  { visit, item, at }: Selection,
): Loaded<StepJson> {
  const loaded = useLoaded(
    (signal) => get<StepJson>(apiPath("runs", model.id, "steps", ...step.path, step.node), { visit, item, at }, signal),
    [model, stepText(step), visit, item, at],
  );
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const askAgain = (): void => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      loaded.reload();
    }, AGAIN_MS);
  };
  useEffect(() => {
    if (at !== null) return;
    const stop = model.onEvents((events) => {
      if (events.some((event) => isAbout(event, step))) askAgain();
    });
    return () => {
      stop();
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [loaded, at]);
  const light = lightAt(moment, step, item)?.state;
  useEffect(() => {
    // What other steps did may change how it stands, and so does the end of the run's process.
    if (at === null && loaded.value.peek()) askAgain();
  }, [light]);
  return loaded;
}

/** Events name their step in one of these fields. */
function isAbout({ path, data }: RunEvent, step: StepAddress): boolean {
  const { agent_name, node, group_name, from_agent } = data as Readonly<Record<string, unknown>>;
  const named = agent_name ?? node ?? group_name ?? from_agent;
  return (
    named === step.node && path.length === step.path.length && path.every((slot, index) => slot === step.path[index])
  );
}
