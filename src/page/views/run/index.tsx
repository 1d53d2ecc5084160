// One run: what became of it, five ways to look at it, and the step that is chosen.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { CancelDialog } from "../../parts/cancel.tsx";
import { PaneTrouble } from "../../parts/pane.tsx";
import { canBeCancelled } from "../../parts/status.tsx";
import { useFindable } from "../../shell/found.ts";
import { again, isReadOnly } from "../../state/actions.ts";
import { useKeys } from "../../state/keys.ts";
import { askToResume } from "../../state/resuming.ts";
import { RunModel } from "../../state/run-model.ts";
import { chooseMoment, chooseStep, chooseView, selection, VIEWS } from "../../state/selection.ts";
import { Banner, openQuestion, questionIn } from "./banner.tsx";
import { RunBody } from "./body.tsx";
import { stepsIn, stepsOf } from "./known-steps.ts";
import { ReplayBar } from "./replay/index.tsx";
import { useMoment } from "./replay/use-moment.ts";
import { Split } from "./split.tsx";
import { StepPanel } from "./step/index.tsx";
import { Tabs } from "./tabs.tsx";

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
  });
  const isCancelAsked = useSignal(false);
  const askToCancel = (): void => {
    isCancelAsked.value = canBeCancelled(about?.status) && at === null && !isReadOnly();
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
      <Banner about={about} moment={moment} isLive={at === null} askToCancel={askToCancel} />
      {isCancelAsked.value && (
        <CancelDialog
          run={id}
          workflow={about.workflow}
          seq={model.live.peek()?.seq}
          close={() => (isCancelAsked.value = false)}
        />
      )}
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
