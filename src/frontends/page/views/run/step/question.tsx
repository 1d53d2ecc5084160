// A question that waits, to be answered where it is read; or how it was answered.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { GateJson, GatesJson } from "../../../../server/contract/gates.ts";
import type { AnswerGivenJson, RequestJson } from "../../../../server/contract/step.ts";
import { get } from "../../../api/client.ts";
import { Markdown } from "../../../parts/markdown.tsx";
import { countGates } from "../../../shell/header.tsx";
import { isAnswering } from "../../../state/draft.ts";
import { useLoaded } from "../../../state/loaded.ts";
import { clock } from "../../../text.ts";
import { GateCard } from "../../gates/card.tsx";
import { isBegun } from "../../gates/gate-words.ts";
import { type AnswerFate, OvertakenGate } from "../../gates/overtaken.tsx";

interface QuestionProps {
  readonly question: Readonly<Record<string, unknown>> | null;
  readonly answer: AnswerGivenJson | null;
  readonly requests: readonly RequestJson[];
  /** false: a moment of a replay is shown, and its question is long past. */
  readonly isLive: boolean;
}

export function QuestionView({ question, answer, requests, isLive }: QuestionProps) {
  // Stays when the question goes: a user who was too late has to see that.
  const overtaken = useSignal<GateJson | null>(null);
  const shown = useRef<GateJson | null>(null);
  const asked = isLive && question ? String(question["gate_id"] ?? "") : null;
  useEffect(() => {
    const gate = shown.current;
    if (gate && isLive && gate.id !== asked && isBegun(gate)) overtaken.value = gate;
    if (gate && gate.id !== asked) shown.current = null;
    if (overtaken.peek()?.id === asked) overtaken.value = null;
  }, [asked, isLive]);
  return (
    <>
      {overtaken.value && <OvertakenGate gate={overtaken.value} isInRun close={() => (overtaken.value = null)} />}
      {question && isLive && overtaken.value === null && (
        <OpenQuestion
          id={String(question["gate_id"] ?? "")}
          prompt={String(question["prompt"] ?? "")}
          shown={(gate) => {
            shown.current = gate;
          }}
          answered={({ gate, became }) => {
            if (became === "late") overtaken.value = gate;
            countGates();
          }}
        />
      )}
      {question && !isLive && (
        <section class="part column note">
          <Markdown text={String(question["prompt"] ?? "")} />
        </section>
      )}
      {answer && <AnswersGiven answer={answer} />}
      <RequestsAnswered requests={requests} />
    </>
  );
}

interface OpenQuestionProps {
  readonly id: string;
  readonly prompt: string;
  readonly shown: (gate: GateJson) => void;
  readonly answered: (fate: AnswerFate) => void;
}

function OpenQuestion({ id, prompt, shown, answered }: OpenQuestionProps) {
  const loaded = useLoaded((signal) => get<GatesJson>("/api/gates", {}, signal), [id]);
  const gate = loaded.value.value?.gates.find((one) => one.id === id);
  useEffect(() => {
    if (gate) shown(gate);
  }, [gate]);
  const place = useRef<HTMLDivElement>(null);
  const isWanted = isAnswering.value;
  useEffect(() => {
    if (!gate || !isWanted) return;
    isAnswering.value = false;
    place.current?.querySelector<HTMLElement>("input, textarea, select")?.focus();
  }, [gate?.id, isWanted]);
  return (
    <div ref={place}>
      {gate ? (
        <GateCard
          gate={gate}
          isInRun
          answered={(fate) => {
            loaded.reload();
            answered(fate);
          }}
        />
      ) : (
        <section class="part column note">
          <Markdown text={prompt} />
        </section>
      )}
    </div>
  );
}

/** What people answered: which option, what to each question, what they allowed; and who they are, and when. */
function AnswersGiven({ answer }: { readonly answer: AnswerGivenJson }) {
  if (answer.kind === "gate")
    return (
      <p class="part column note">
        <span>
          <strong>{answer.selected}</strong> <By who={answer.answered_by} at={answer.at} />
        </span>
      </p>
    );
  return (
    <section class="part column note answers">
      <dl class="facts-list">
        {answer.questions.map(({ id, text, answer: given, source }) => (
          <div key={id}>
            <dt>{text}</dt>
            <dd>{source === null ? "no answer yet" : source === "skipped" ? "skipped" : String(given ?? "")}</dd>
          </div>
        ))}
      </dl>
      {answer.answered_by !== null && (
        <p>
          <strong>{(answer.outcome ?? "").replace("_", " ")}</strong> <By who={answer.answered_by} at={answer.at} />
        </p>
      )}
    </section>
  );
}

/** One that waits is shown where it can be answered. */
function RequestsAnswered({ requests }: { readonly requests: readonly RequestJson[] }) {
  return (
    <>
      {requests
        .filter(({ selected }) => selected !== null)
        .map(({ prompt, selected, answered_by, at }, index) => (
          <section class="part column note request" key={index}>
            <Markdown text={prompt} />
            <p>
              <strong>{selected}</strong> <By who={answered_by} at={at} />
            </p>
          </section>
        ))}
    </>
  );
}

const By = ({ who, at }: { readonly who: string | null; readonly at: string | null }) => (
  <span class="soft">
    by {who}
    {at && ` at ${clock(at)}`}
  </span>
);
