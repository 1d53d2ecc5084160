// A question that waits, to be answered where it is read; or how it was answered.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { GatesJson } from "../../../../server/contract/gates.ts";
import { get } from "../../../api/client.ts";
import { Markdown } from "../../../parts/markdown.tsx";
import { isAnswering } from "../../../state/answering.ts";
import { useLoaded } from "../../../state/loaded.ts";
import { countGates } from "../../../state/waiting.ts";
import type { AnsweredGate } from "../../gates/answered.tsx";
import { GateCard } from "../../gates/card.tsx";

interface QuestionProps {
  readonly question: Readonly<Record<string, unknown>> | null;
  readonly answer: Readonly<Record<string, unknown>> | null;
  /** false: a moment of a replay is shown, and its question is long past. */
  readonly isLive: boolean;
}

export function QuestionView({ question, answer, isLive }: QuestionProps) {
  // Stays when the question goes: whoever was late has to learn of it.
  const late = useSignal<string | null>(null);
  return (
    <>
      {late.value !== null && (
        <p class="part note row" role="alert">
          <span class="grow">{late.value} Your answer was not taken.</span>
          <button type="button" class="button low" onClick={() => (late.value = null)}>
            Close
          </button>
        </p>
      )}
      {question && isLive && (
        <OpenQuestion
          id={String(question["gate_id"] ?? "")}
          prompt={String(question["prompt"] ?? "")}
          answered={({ said, isLate }) => {
            if (isLate) late.value = said;
            countGates();
          }}
        />
      )}
      {question && !isLive && (
        <section class="part note">
          <Markdown text={String(question["prompt"] ?? "")} />
        </section>
      )}
      {answer && (
        <p class="part note">
          <span>
            <strong>{String(answer["selected"] ?? "")}</strong>{" "}
            <span class="soft">by {String(answer["answered_by"] ?? "")}</span>
          </span>
        </p>
      )}
    </>
  );
}

interface OpenQuestionProps {
  readonly id: string;
  readonly prompt: string;
  readonly answered: (answered: AnsweredGate) => void;
}

function OpenQuestion({ id, prompt, answered }: OpenQuestionProps) {
  const loaded = useLoaded((signal) => get<GatesJson>("/api/gates", {}, signal), [id]);
  const gate = loaded.value.value?.gates.find((one) => one.id === id);
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
        <GateCard gate={gate} isInRun answered={answered} />
      ) : (
        <section class="part note">
          <Markdown text={prompt} />
        </section>
      )}
    </div>
  );
}
