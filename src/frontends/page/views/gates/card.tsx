// One question with its answers. Choosing and sending are two actions, and Enter alone does neither: an approval here
// may publish a release. A draft is kept; a user who is too late sees who answered.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { AnsweredJson, GateJson } from "../../../server/contract/gates.ts";
import { about, apiPath, firstIn, newKey, postJson } from "../../api/client.ts";
import { serverNow } from "../../api/clock.ts";
import { Button, Icon } from "../../parts/button.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { RefusalNote } from "../../parts/pane.tsx";
import { isReadOnly } from "../../state/actions.ts";
import { dropDraft, keepDraft, readDraft } from "../../state/draft.ts";
import { agoText, messageOf, shortId } from "../../text.ts";
import { GateQuestions, InputsInBrief, OptionList } from "./answer-fields.tsx";
import { ABORT, answerOf, beingSent, draftName, dueText, type GateDraft, rulesText, whoMayText } from "./gate-words.ts";
import { type AnswerFate, gateRun, stepOfGate } from "./overtaken.tsx";

interface GateCardProps {
  readonly gate: GateJson;
  /** A run's own page does not repeat which run it is. */
  readonly isInRun?: boolean;
  /** Called with what was sent, or who was faster. */
  readonly answered: (fate: AnswerFate) => void;
}

export function GateCard({ gate, isInRun = false, answered }: GateCardProps) {
  const name = draftName(gate);
  const draft = useSignal<GateDraft>(
    useMemo(() => readDraft<GateDraft>(name) ?? { value: null, inputs: defaultsOf(gate), key: newKey() }, [name]),
  );
  const state = useSignal<"open" | "sending" | "sent">("open");
  const problem = useSignal<string | null>(null);
  const change = (next: Partial<GateDraft>): void => {
    // Another answer is another act: the key of one that was refused stands for what was refused.
    draft.value = { ...draft.value, ...next, key: newKey() };
    keepDraft(name, draft.value);
  };
  const missing = missingIn(gate, draft.value);
  const send = async (value = draft.value.value): Promise<void> => {
    if (state.value !== "open" || !gate.you.may_answer) return;
    if (value !== ABORT && missing !== null) {
      problem.value = missing;
      return;
    }
    state.value = "sending";
    problem.value = null;
    beingSent.add(gate.id);
    try {
      const body = answerOf(gate, value, draft.value.inputs);
      const { driven } = await postJson<AnsweredJson>(apiPath("gates", gate.id), body, draft.value.key);
      state.value = "sent";
      dropDraft(name);
      answered({ gate, became: "taken", said: answerText(gate, value, driven) });
    } catch (error) {
      const first = firstIn(error);
      problem.value = messageOf(error);
      state.value = first === null || first.what === "resumed" ? "open" : "sent";
      // The draft stays until they close what tells them so: it may be the better reason.
      if (first !== null) answered({ gate, became: first.what === "resumed" ? "changed" : "late" });
    } finally {
      beingSent.delete(gate.id);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter") return;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      void send();
    } else if (!(event.target instanceof HTMLTextAreaElement) && !(event.target instanceof HTMLAnchorElement))
      event.preventDefault();
  };
  return (
    <article
      class="gate column card"
      id={gate.id}
      tabIndex={-1}
      aria-label={`${gate.workflow ?? ""} ${gate.node_id}`}
      onKeyDown={onKeyDown}
    >
      {!isInRun && <GateHead gate={gate} />}
      <Markdown text={gate.prompt} />
      <GateRules gate={gate} />
      {gate.kind === "gate" ? (
        <OptionList gate={gate} draft={draft.value} change={change} />
      ) : (
        <GateQuestions gate={gate} draft={draft.value} change={change} />
      )}
      <RefusalNote text={problem.value} />
      {!isReadOnly() && gate.you.may_answer && (
        <footer class="row">
          <Button
            is="main"
            label={state.value === "sending" ? "Sending …" : state.value === "sent" ? "Answered" : "Send"}
            aria-disabled={state.value !== "open" || missing !== null}
            onClick={(event) => {
              // Enter on the button is a click without a pointer and without a key that was let through.
              event.preventDefault();
              void send();
            }}
          />
          {gate.allow_abort && <Button label="Call it off" onClick={() => void send(ABORT)} />}
          <span class="soft small">
            <kbd>Ctrl</kbd> <kbd>↵</kbd> sends
          </span>
        </footer>
      )}
    </article>
  );
}

function GateHead({ gate }: { readonly gate: GateJson }) {
  const { workflow, run_id, presented_at, inputs } = gate;
  return (
    <header class="gate-head column">
      <div class="row wrap">
        <strong>{workflow}</strong>
        <span class="soft">{stepOfGate(gate, " / ")}</span>
        <a class="small" href={gateRun(gate)} title={run_id}>
          run <code>{shortId(run_id)}</code>
        </a>
        <span class="grow" />
        <span class="soft small" title={presented_at}>
          asked {agoText(presented_at, serverNow.value)}
        </span>
      </div>
      <InputsInBrief inputs={inputs} />
    </header>
  );
}

/** `Answered “Publish”. The run goes on.` */
function answerText({ options, kind }: GateJson, value: string | null, driven: AnsweredJson["driven"]): string {
  const label = options.find((one) => one.value === value)?.label;
  const said = value === ABORT ? "Called off." : kind === "gate" && label ? `Answered “${label}”.` : "Answered.";
  return driven === "here" ? `${said} The run goes on.` : `${said} The run goes on where it is driven.`;
}

const defaultsOf = ({ questions }: GateJson): Readonly<Record<string, string>> =>
  Object.fromEntries(questions.flatMap((one) => (one.default === undefined ? [] : [[one.id, one.default]])));

/** What is still to be said before it can be sent; null: nothing. */
function missingIn({ kind, options, questions }: GateJson, { value, inputs }: GateDraft): string | null {
  if (kind === "gate") {
    const option = options.find((one) => one.value === value);
    if (!option) return "Choose an answer first.";
    const { prompt_for, prompt_optional } = option;
    return prompt_for && !prompt_optional && !inputs[prompt_for]?.trim() ? `${prompt_for} has to be said, too.` : null;
  }
  const open = questions.find((one) => one.required && !inputs[one.id]?.trim());
  return open ? `${open.text} has to be answered.` : null;
}

/**
 * Who may answer a gate and until when, who the user is, and whether they may: shown before they choose, not after a
 * refusal.
 */
function GateRules({ gate }: { readonly gate: GateJson }) {
  const { deadline, you } = gate;
  const said = rulesText(gate);
  return (
    <div class="gate-rules column">
      {deadline !== null && (
        <p class="soft small">
          <time dateTime={deadline} title={deadline}>
            {dueText(deadline, serverNow.value)}
          </time>
        </p>
      )}
      {said !== "" && you.may_answer && <p class="soft small">{said}</p>}
      <p class={you.may_answer ? "soft small row" : "note row"} role={you.may_answer ? undefined : "note"}>
        <Icon name="person" />
        <span>
          You are signed in as <strong>{you.person}</strong>
          {you.may_answer ? " and may answer." : ` and may not answer: ${you.why_not}.${whoMayText(gate)}`}
          {!you.may_answer && about.value?.known_by === "machine" && ` ${OWN_TOKEN}`}
        </span>
      </p>
    </div>
  );
}

const OWN_TOKEN =
  "With only the token of this server you act as its user: open the page with #token= and a token of your own.";
