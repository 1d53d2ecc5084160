// One run: its banner, its views as tabs, and the chosen step.
import { useComputed, useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { FrameState, RunState } from "../../../../base/events/state/state.ts";
import type { NodeShape, Picture } from "../../../../graph/picture.ts";
import { Button, canBeCancelled, canBeTested } from "../../parts/button.tsx";
import { CancelDialog } from "../../parts/dialog.tsx";
import { Tabs } from "../../parts/field.tsx";
import { lazy, PaneTrouble } from "../../parts/pane.tsx";
import { useFindable } from "../../shell/palette.tsx";
import { again, askToResume, isReadOnly } from "../../state/actions.ts";
import { useKeys } from "../../state/keys.ts";
import { RunModel, type RunViewProps } from "../../state/run-model.ts";
import { chooseMoment, chooseStep, chooseView, selection, VIEWS, type ViewName } from "../../state/selection.ts";
import { stepText } from "../../state/step-address.ts";
import { Banner, openQuestion, questionIn } from "./banner.tsx";
import { RunGraph } from "./graph/run-graph.tsx";
import { ReplayBar, useMoment } from "./replay.tsx";
import { Split } from "./split.tsx";
import { StepPanel } from "./step/index.tsx";

export function RunView({ id }: { readonly id: string }) {
  const model = useMemo(() => new RunModel(id), [id]);
  useEffect(() => () => model.stop(), [model]);
  const moment = useMoment(model);
  const about = model.about.value;
  const step = useComputed(() => selection.value.step).value;
  const at = useComputed(() => selection.value.at).value;
  const isReplayOpened = useSignal(false);
  // An address with a moment shows the bar however one came to it: by a link, a reload, or the browser's way back.
  const isReplaying = isReplayOpened.value || at !== null;
  // What is shown in a replay is past, and what is done now is about the present.
  const canAct = at === null && !isReadOnly();
  const canCancel = canAct && canBeCancelled(about?.status);
  const canTest = canAct && canBeTested(about?.status);
  const asked = useSignal<"cancel" | "test" | null>(null);
  const close = (): void => {
    asked.value = null;
  };
  const askToCancel = (): void => {
    if (canCancel) asked.value = "cancel";
  };
  const askToTest = (): void => {
    if (canTest) asked.value = "test";
  };
  const goOn = (): void => {
    if (at !== null) return;
    const live = model.live.peek();
    const question = live ? questionIn(live, about) : null;
    if (question) openQuestion(question);
    else if (about && (about.resumable || about.banner.lost > 0)) {
      const more = about.resumable ? undefined : { failed_items: true };
      askToResume({ run: id, workflow: about.workflow, seq: live?.seq, more });
    }
  };
  const toggleReplay = (): void => {
    isReplayOpened.value = !isReplaying;
    if (isReplaying) chooseMoment(null);
  };
  useKeys("run", {
    graph: () => chooseView("graph"),
    time: () => chooseView("time"),
    log: () => chooseView("log"),
    story: () => chooseView("story"),
    output: () => chooseView("output"),
    close: () => chooseStep(null),
    goOn,
    cancel: askToCancel,
    again: () => about && at === null && again(about.file, id),
    replay: toggleReplay,
    test: askToTest,
  });
  useFindable(() => {
    const live = model.live.peek();
    if (!live) return [];
    const steps = stepsOf(live.state);
    const known = new Set(steps.map(({ text }) => text));
    const others = about?.picture ? stepsIn(about.picture).filter((text) => !known.has(text)) : [];
    return [
      ...steps.map(({ text, kind }) => ({ text, what: kind ? `step · ${kind}` : "step", run: () => chooseStep(text) })),
      ...others.map((text) => ({ text, what: "step · not reached", run: () => chooseStep(text) })),
      ...VIEWS.map((view) => ({ text: view, what: "view", run: () => chooseView(view) })),
      ...(canAct && about?.resumable ? [{ text: "Resume", what: "action · r", run: goOn }] : []),
      ...(canCancel ? [{ text: "Cancel", what: "action · c", run: askToCancel }] : []),
      ...(canTest ? [{ text: "Make a test of this run", what: "action · m", run: askToTest }] : []),
    ];
  }, [model, about?.resumable, about?.status, at]);
  const last = model.live.value?.seq;
  useEffect(() => {
    // An address may name a moment that has not come.
    if (at !== null && last !== undefined && at > last) chooseMoment(last);
  }, [at, last]);
  useEffect(() => {
    if (about) document.title = `${about.workflow} · ${about.status} · Segno`;
    return () => {
      document.title = "Segno";
    };
  }, [about?.workflow, about?.status]);
  if (!about || !moment)
    return (
      <main class="view">
        <h1 class="only-heard">Run {id}</h1>
        {model.problem.value ? (
          <PaneTrouble message={`The run: ${model.problem.value}`} retry={() => void model.load()} />
        ) : (
          <p class="quiet">Loading the run …</p>
        )}
      </main>
    );
  return (
    <main class="view fixed column run-view">
      <Banner about={about} moment={moment} isLive={at === null} askToCancel={askToCancel} askToTest={askToTest} />
      {asked.value === "cancel" && (
        <CancelDialog run={id} workflow={about.workflow} seq={model.live.peek()?.seq} close={close} />
      )}
      {asked.value === "test" && <MakeTestDialog run={id} close={close} />}
      <RunTabs isReplaying={isReplaying} toggleReplay={toggleReplay} />
      {isReplaying && <ReplayBar model={model} moment={moment} close={toggleReplay} />}
      <Split
        name="step"
        side={step && <StepPanel model={model} about={about} moment={moment} step={step} />}
        main={<RunBody model={model} about={about} moment={moment} />}
      />
    </main>
  );
}

const MakeTestDialog = lazy(() =>
  import("../../../../features/history/page/make-test.tsx").then((part) => part.MakeTestDialog),
);
const BODIES: Readonly<Record<ViewName, ComponentType<RunViewProps>>> = {
  graph: RunGraph,
  time: lazy(() => import("./time/index.tsx").then(({ Timeline }) => Timeline)),
  log: lazy(() => import("./log/index.tsx").then(({ EventLog }) => EventLog)),
  story: lazy(() => import("./story.tsx").then(({ StoryText }) => StoryText)),
  output: lazy(() => import("./output.tsx").then(({ RunOutput }) => RunOutput)),
};

function RunBody(props: RunViewProps) {
  const View = BODIES[useComputed(() => selection.value.view).value];
  return <View {...props} />;
}

interface KnownStep {
  readonly text: string;
  readonly kind: string | null;
}

function stepsOf({ root }: RunState): readonly KnownStep[] {
  const found: KnownStep[] = [];
  const walk = (frame: FrameState, path: readonly string[]): void => {
    for (const { name, error, group } of frame.nodes.values()) {
      found.push({ text: stepText({ path, node: name }), kind: error?.kind ?? null });
      if (group?.kind === "parallel")
        for (const member of group.members.values())
          found.push({ text: stepText({ path, node: member.name }), kind: member.error?.kind ?? null });
    }
    for (const [slot, inner] of frame.frames) walk(inner, [...path, slot]);
  };
  walk(root, []);
  return found;
}

const SILENT: ReadonlySet<NodeShape> = new Set<NodeShape>(["start", "end", "halt", "parent", "any"]);

/** Steps of the file; those inside a for_each have no address before there are items. */
const stepsIn = ({ items }: Pick<Picture, "items">): readonly string[] =>
  items.flatMap((item) =>
    item.kind === "box"
      ? [item.id, ...(item.of === "for_each" ? [] : stepsIn(item))]
      : SILENT.has(item.shape)
        ? []
        : [item.id],
  );

const TAB_NAMES = { graph: "Graph", time: "Timeline", log: "Log", story: "Story", output: "Output" } as const;

function RunTabs({ isReplaying, toggleReplay }: { readonly isReplaying: boolean; readonly toggleReplay: () => void }) {
  const view = useComputed(() => selection.value.view).value;
  return (
    <div class="run-tabs middle">
      <Tabs
        label="Views of the run"
        tabs={VIEWS.map((name, index) => ({ name, words: TAB_NAMES[name], title: `${index + 1}` }))}
        chosen={view}
        choose={chooseView}
      />
      <span class="grow" />
      <Button
        is="plain low"
        icon="again"
        label="Replay"
        aria-pressed={isReplaying}
        title="Replay (p)"
        onClick={toggleReplay}
      />
    </div>
  );
}
