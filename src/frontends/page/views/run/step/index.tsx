// The step that is chosen: its visits and attempts, and of one attempt all that is known.
import { useComputed } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { RunEvent } from "../../../../../base/events/registry.ts";
import { completedWithout } from "../../../../../graph/lights.ts";
import type { RunSnapshotJson } from "../../../../server/contract/run.ts";
import type { AttemptJson, StepJson, VisitJson } from "../../../../server/contract/step.ts";
import { apiPath } from "../../../api/client.ts";
import { Icon, IconButton, StepState, stepState } from "../../../parts/button.tsx";
import { ChoiceField, Tabs } from "../../../parts/field.tsx";
import { Pane } from "../../../parts/pane.tsx";
import { useKeys } from "../../../state/keys.ts";
import { type Loaded, useAnswer } from "../../../state/loaded.ts";
import { itemMeant, lightAt } from "../../../state/run-lights.ts";
import type { RunViewProps } from "../../../state/run-model.ts";
import { chooseAttempt, chooseStep, chooseVisit, type Selection, selection } from "../../../state/selection.ts";
import { type StepAddress, stepText } from "../../../state/step-address.ts";
import { durationText } from "../../../text.ts";
import { AttemptView } from "./attempt.tsx";
import { ItemList, StepActions, StepFile } from "./file.tsx";
import { QuestionView } from "./question.tsx";

type StepPanelProps = RunViewProps & { readonly step: StepAddress };

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
    <div class="step column">
      <header class="step-head column">
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
          <IconButton icon="close" label="Close the step" title="Close (esc)" onClick={() => chooseStep(null)} />
        </div>
        {known && <StepFacts known={known} />}
      </header>
      <Pane loaded={loaded} what="The step">
        {(shown) => <StepBody known={shown} about={about} />}
      </Pane>
    </div>
  );
}

interface VisitStatusProps {
  readonly visit: VisitJson;
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
  const own = stepState(visit.status);
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
          <ChoiceField
            value={visit?.visit}
            options={visits.map(({ visit: nth, status }) => [
              nth,
              `${nth} of ${visits.length} · ${status.replace("_", " ")}`,
            ])}
            choose={(nth) => chooseVisit(Number(nth))}
          />
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
    <div class="step-body column">
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

interface AttemptTabsProps {
  readonly attempts: readonly AttemptJson[];
  readonly chosen: AttemptJson | undefined;
}

function AttemptTabs({ attempts, chosen }: AttemptTabsProps) {
  const isOfSeveralDrives = new Set(attempts.map(({ drive }) => drive)).size > 1;
  const tab = (one: AttemptJson) => ({
    name: one,
    look: `low is-${stepState(one.status)}`,
    words: (
      <>
        <span class="status">
          <Icon name={stepState(one.status)} />
        </span>
        {isOfSeveralDrives && `drive ${one.drive}, `}attempt {one.attempt}
        <span class="soft">{durationText(one.took_ms)}</span>
      </>
    ),
  });
  return (
    <Tabs
      label="Attempts"
      class="attempts"
      tabs={attempts.map(tab)}
      chosen={chosen}
      choose={(one) => one && chooseAttempt({ drive: isOfSeveralDrives ? one.drive : null, attempt: one.attempt })}
    />
  );
}

const AGAIN_MS = 300;

function useStep(
  { model, moment, step }: Omit<StepPanelProps, "about">,
  { visit, item, at }: Selection,
): Loaded<StepJson> {
  const loaded = useAnswer<StepJson>(apiPath("runs", model.id, "steps", ...step.path, step.node), { visit, item, at });
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
