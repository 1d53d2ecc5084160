// What became of the run, in one look, and what to do next.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { itemOfKey } from "../../../../base/events/key.ts";
import { activeMs } from "../../../../base/events/state/read.ts";
import type { CommandJson, RunSnapshotJson } from "../../../server/contract/run.ts";
import { serverNow } from "../../api/clock.ts";
import {
  Button,
  canBeCancelled,
  canBeTested,
  Icon,
  RunStatusMark,
  runStatus,
  shownStatus,
  TextLink,
} from "../../parts/button.tsx";
import { firstLine, Inline } from "../../parts/markdown.tsx";
import { copy } from "../../parts/toast.tsx";
import { again, askToResume, isReadOnly, workflowPath } from "../../state/actions.ts";
import { addressOf } from "../../state/address.ts";
import { isAnswering } from "../../state/draft.ts";
import type { RunMoment } from "../../state/run-model.ts";
import { chooseStep } from "../../state/selection.ts";
import { stepText } from "../../state/step-address.ts";
import { costText, durationText, moment as momentText, plural, shortId, withoutTerminalCodes } from "../../text.ts";
import { JustHappenedLine } from "./just-happened.tsx";

interface BannerProps {
  readonly about: RunSnapshotJson;
  readonly moment: RunMoment;
  /** false: a moment of a replay is shown. */
  readonly isLive: boolean;
}

interface WithActs extends BannerProps {
  readonly askToCancel: () => void;
  readonly askToTest: () => void;
}

export function Banner(props: WithActs) {
  const { about, moment, isLive } = props;
  const { banner, workflow, file, run_id } = about;
  const { status, termination, runName } = moment.state;
  const word = shownStatus(isLive ? banner : { status, termination: termination?.status ?? null });
  const { state } = runStatus(word);
  return (
    <header class={`banner column is-${state}`}>
      <div class="banner-line middle">
        <RunStatusMark status={word} pill />
        <h1 class="cut" title={workflow}>
          {runName ?? workflow}
        </h1>
        <a class="soft small cut" title={file} href={workflowPath(file)}>
          {file}
        </a>
        <button
          type="button"
          class="run-id small"
          title={`Copy the run's id, ${run_id}`}
          onClick={() => void copy(run_id, "the run's id")}
        >
          <code>{shortId(run_id)}</code>
          <Icon name="copy" />
        </button>
        <span class="grow" />
        <Facts about={about} moment={moment} isLive={isLive} />
        {isLive && !isReadOnly() && <Actions {...props} />}
      </div>
      {isLive && <Headline about={about} moment={moment} />}
      {/* Of a run that ended badly or waits, the headline says what matters. */}
      {isLive && (banner.status === "running" || endedWell(banner)) && <JustHappenedLine state={moment.state} />}
    </header>
  );
}

const endedWell = ({ status, termination }: RunSnapshotJson["banner"]): boolean =>
  status === "completed" || (status === "terminated" && termination === "success");

function Facts({ about, moment, isLive }: BannerProps) {
  const { state } = moment;
  const isRunning = isLive && about.status === "running";
  const took = activeMs(state, isRunning ? serverNow.value : undefined);
  return (
    <div class="facts soft small">
      <span title={state.startedAt ?? ""}>{momentText(state.startedAt, serverNow.peek())}</span>
      <span>{durationText(took)}</span>
      {about.drives.length > 1 && <span>{plural(state.drives, "drive")}</span>}
      {state.usage.costUsd > 0 && <span>{costText(state.usage.costUsd)}</span>}
      {about.letters.length > 0 && (
        <a href={addressOf("/letters", { run: about.run_id })}>{plural(about.letters.length, "letter")}</a>
      )}
    </div>
  );
}

interface AskedStep {
  readonly step: string;
  readonly item: string | null;
  readonly prompt: string;
}

/** The question that the run waits with, when it does. One that is queued has its answer, and waits for a worker. */
export function questionIn({ state }: RunMoment, about?: Pick<RunSnapshotJson, "status">): AskedStep | null {
  if (about?.status === "queued") return null;
  const [gate] = state.status === "paused" || state.status === "running" ? state.gates.values() : [];
  if (!gate) return null;
  const { path, node, key, prompt = "" } = gate;
  return { step: stepText({ path, node }), item: itemOfKey(key), prompt };
}

function Actions({ about, moment, askToCancel, askToTest }: WithActs) {
  const { run_id, workflow, resumable, status, file } = about;
  const { seq } = moment;
  const asked = questionIn(moment, about);
  return (
    <div class="row">
      {asked && (
        <Button is="main" icon="person" label="Answer" title="Answer (r)" onClick={() => openQuestion(asked)} />
      )}
      {!asked && resumable && status !== "running" && (
        <Button
          is="main"
          icon="play"
          label="Resume"
          title="Resume (r)"
          onClick={() => askToResume({ run: run_id, workflow, seq })}
        />
      )}
      {canBeCancelled(status) && (
        <Button is="danger" icon="stop" label="Cancel" title="Cancel (c)" onClick={askToCancel} />
      )}
      {canBeTested(status) && (
        <Button icon="file" label="Make a test" title="Make a test of this run (m)" onClick={askToTest} />
      )}
      <Button icon="again" label="Again" title="Again with these inputs (a)" onClick={() => again(file, run_id)} />
    </div>
  );
}

/** Opens the question in the step's panel, ready to be answered. */
export function openQuestion({ step, item }: Pick<AskedStep, "step" | "item">): void {
  isAnswering.value = true;
  chooseStep(step, { item });
}

/** Their lost items can run again: of a degraded run with what reads them, of the others alone. */
const HAS_ENDED: readonly string[] = ["degraded", "terminated", "failed"];

function Headline({ about, moment }: Omit<BannerProps, "isLive">) {
  const asked = questionIn(moment, about);
  const { banner, run_id: run, workflow, resumable } = about;
  const { kind, lost } = banner;
  const isAsking = banner.status === "paused" || (banner.headline === null && asked !== null);
  const whole = withoutTerminalCodes(banner.headline ?? banner.reason ?? asked?.prompt ?? "");
  const said = isAsking ? firstLine(whole) : whole;
  const step = banner.step ?? asked?.step ?? null;
  const isAllSaid = endedWell(banner) || lost > 0;
  const next = banner.next.filter(({ command }) => !isAllSaid || command !== null);
  if (!said && !kind && next.length === 0 && lost === 0) return null;
  return (
    <Short given={said}>
      {(said || kind || step) && (
        <p class="banner-said middle">
          {kind && <code class="kind">{kind}</code>}
          {said && (
            <span class="banner-text">
              <Inline text={said} />
            </span>
          )}
          {step && (
            <TextLink go={() => chooseStep(step, { item: asked?.step === step ? asked.item : null })}>{step}</TextLink>
          )}
        </p>
      )}
      {lost > 0 && (
        <p class="banner-next middle">
          <span>
            {plural(lost, "member")} failed, and the run went on without {lost === 1 ? "it" : "them"}.
          </span>
          {(resumable || HAS_ENDED.includes(banner.status)) && !isReadOnly() && (
            <Button
              is="low"
              icon="again"
              label="Run the lost items again"
              title="What is done is reused"
              onClick={() => askToResume({ run, workflow, seq: moment.seq, more: { failed_items: true } })}
            />
          )}
        </p>
      )}
      {next.map((one) => (
        <NextStep one={one} isSaid={lost > 0 && one.command?.endsWith("--failed-items") === true} key={one.text} />
      ))}
    </Short>
  );
}

/** Two lines of it at first, so that the views keep their room; the rest when it is wanted. */
function Short({ given, children }: { readonly given: string; readonly children: ComponentChildren }) {
  const [isOpen, isLonger] = [useSignal(false), useSignal(false)];
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const measure = (): void => {
      const [element, text] = [box.current, box.current?.querySelector(".banner-text")];
      if (element && !isOpen.peek())
        isLonger.value = [element, text].some((one) => one && one.scrollHeight > one.clientHeight + 2);
    };
    measure();
    addEventListener("resize", measure);
    return () => removeEventListener("resize", measure);
  }, [given, children]);
  return (
    <div class="banner-short">
      <div class={`banner-more${isOpen.value ? " open" : ""}`} ref={box}>
        {children}
      </div>
      {isLonger.value && (
        <button type="button" class="link" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
          {isOpen.value ? "less" : "more"}
        </button>
      )}
    </div>
  );
}

/** A sentence; the command that it ends with is behind a button. */
function NextStep({ one, isSaid }: { readonly one: CommandJson; readonly isSaid: boolean }) {
  const { command, what } = one;
  const sentence = command === null ? one.text : one.text.replaceAll(command, "").replace(/[\s:]+$/, "");
  const text = what === "answer" || isSaid ? "" : sentence;
  return (
    <p class="banner-next middle">
      {text !== "" && (
        <span class="soft">
          <Inline text={text} />
        </span>
      )}
      {command && (
        <button type="button" class="button low" title={command} onClick={() => void copy(command, "the command")}>
          <Icon name="copy" /> Copy the command<span class="only-heard">: {command}</span>
        </button>
      )}
    </p>
  );
}
