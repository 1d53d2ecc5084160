// One run: what became of it, five ways to look at it, and the step that is chosen.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { FrameState, RunState } from "../../../events/state/state.ts";
import type { NodeShape, Picture } from "../../../graph/picture.ts";
import { Button, canBeCancelled, canBeTested } from "../../parts/button.tsx";
import { CancelDialog } from "../../parts/dialog.tsx";
import { lazy, PaneTrouble } from "../../parts/pane.tsx";
import { useFindable } from "../../shell/palette.tsx";
import { again, askToResume, isReadOnly } from "../../state/actions.ts";
import { useKeys } from "../../state/keys.ts";
import { RunModel, type RunViewProps } from "../../state/run-model.ts";
import { chooseMoment, chooseStep, chooseView, selection, VIEWS } from "../../state/selection.ts";
import { stepText } from "../../state/step-address.ts";
import { Banner, openQuestion, questionIn } from "./banner.tsx";
import { RunGraph } from "./graph/run-graph.tsx";
import { ReplayBar, useMoment } from "./replay/index.tsx";
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
  useKeys("run", {
    graph: () => chooseView("graph"),
    time: () => chooseView("time"),
    log: () => chooseView("log"),
    story: () => chooseView("story"),
    output: () => chooseView("output"),
    close: () => chooseStep(null),
    goOn: () => goOn(),
    cancel: () => askToCancel(),
    again: () => about && at === null && again(about.file, id),
    replay: () => toggleReplay(),
    test: () => askToTest(),
  });
  const isCancelAsked = useSignal(false);
  const askToCancel = (): void => {
    isCancelAsked.value = canBeCancelled(about?.status) && at === null && !isReadOnly();
  };
  const isTestAsked = useSignal(false);
  const askToTest = (): void => {
    isTestAsked.value = canBeTested(about?.status) && at === null && !isReadOnly();
  };
  const goOn = (): void => {
    // What is shown is past, and what is done now is about the present.
    if (at !== null) return;
    const live = model.live.peek();
    const asked = live ? questionIn(live, about) : null;
    if (asked) openQuestion(asked.step);
    else if (about?.resumable) askToResume({ run: id, workflow: about.workflow, seq: live?.seq });
    else if (about && about.banner.lost > 0)
      askToResume({ run: id, workflow: about.workflow, seq: live?.seq, more: { failed_items: true } });
  };
  const toggleReplay = (): void => {
    isReplayOpened.value = !isReplaying;
    if (isReplaying) chooseMoment(null);
  };
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
      // What is shown in a replay is past, and what is done now is about the present.
      ...(about?.resumable && at === null && !isReadOnly() ? [{ text: "Resume", what: "action · r", run: goOn }] : []),
      ...(canBeCancelled(about?.status) && at === null && !isReadOnly()
        ? [{ text: "Cancel", what: "action · c", run: askToCancel }]
        : []),
      ...(canBeTested(about?.status) && at === null && !isReadOnly()
        ? [{ text: "Make a test of this run", what: "action · m", run: askToTest }]
        : []),
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
    <main class="view fixed run-view">
      <Banner about={about} moment={moment} isLive={at === null} askToCancel={askToCancel} askToTest={askToTest} />
      {isCancelAsked.value && (
        <CancelDialog
          run={id}
          workflow={about.workflow}
          seq={model.live.peek()?.seq}
          close={() => (isCancelAsked.value = false)}
        />
      )}
      {isTestAsked.value && <MakeTestDialog run={id} close={() => (isTestAsked.value = false)} />}
      <Tabs isReplaying={isReplaying} toggleReplay={toggleReplay} />
      {isReplaying && <ReplayBar model={model} moment={moment} close={toggleReplay} />}
      <Split
        name="step"
        side={step && <StepPanel model={model} about={about} moment={moment} step={step} />}
        main={<RunBody model={model} about={about} moment={moment} />}
      />
    </main>
  );
}

const MakeTestDialog = lazy(() => import("../../parts/make-test.tsx").then(({ MakeTestDialog: view }) => view));
const Timeline = lazy<RunViewProps>(() => import("./time/index.tsx").then(({ Timeline: view }) => view));
const Log = lazy<RunViewProps>(() => import("./log/index.tsx").then(({ EventLog: view }) => view));
const StoryText = lazy<RunViewProps>(() => import("./story/index.tsx").then(({ StoryText: view }) => view));
const RunOutput = lazy<RunViewProps>(() => import("./output/index.tsx").then(({ RunOutput: view }) => view));

/** The view of the run that its tab names. */
function RunBody(props: RunViewProps) {
  const view = useComputed(() => selection.value.view).value;
  switch (view) {
    case "graph":
      return <RunGraph {...props} />;
    case "time":
      return <Timeline {...props} />;
    case "log":
      return <Log {...props} />;
    case "story":
      return <StoryText {...props} />;
    case "output":
      return <RunOutput {...props} />;
    default:
      return view satisfies never;
  }
}

/** All steps that a run has come to or could come to, as the address names them. */
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

/** The five ways to look at a run. */
function Tabs({ isReplaying, toggleReplay }: { readonly isReplaying: boolean; readonly toggleReplay: () => void }) {
  const view = useComputed(() => selection.value.view).value;
  return (
    <div class="run-tabs">
      <div role="tablist" aria-label="Views of the run" class="row">
        {VIEWS.map((name, index) => (
          <button
            type="button"
            role="tab"
            class="tab"
            key={name}
            aria-selected={name === view}
            title={`${index + 1}`}
            onClick={() => chooseView(name)}
          >
            {TAB_NAMES[name]}
          </button>
        ))}
      </div>
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
