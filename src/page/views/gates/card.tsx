// One question with its answers. Choosing and sending are two things, and Enter alone does neither: what is approved here
// may publish a release. A draft is kept; whoever is late is told who answered.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { AnsweredJson, GateJson } from "../../../server/contract/gates.ts";
import { apiPath, newKey, postJson } from "../../api/client.ts";
import { lateness } from "../../api/refused.ts";
import { Markdown } from "../../parts/markdown.tsx";
import { agoText } from "../../parts/text.ts";
import { isReadOnly } from "../../state/actions.ts";
import { addressOf } from "../../state/address.ts";
import { serverNow } from "../../state/clock.ts";
import { dropDraft, keepDraft, readDraft } from "../../state/draft.ts";
import type { GateDraft } from "./draft.ts";
import { OptionList } from "./options.tsx";
import { GateQuestions } from "./questions.tsx";

interface GateCardProps {
  readonly gate: GateJson;
  readonly answered: () => void;
}

export function GateCard({ gate, answered }: GateCardProps) {
  const name = `gate.${gate.id}`;
  const draft = useSignal<GateDraft>(
    useMemo(() => readDraft<GateDraft>(name) ?? { value: null, inputs: defaultsOf(gate), key: newKey() }, [name]),
  );
  const state = useSignal<"open" | "sending" | "sent">("open");
  const problem = useSignal<string | null>(null);
  const change = (next: Partial<GateDraft>): void => {
    draft.value = { ...draft.value, ...next };
    keepDraft(name, draft.value);
  };
  const missing = missingIn(gate, draft.value);
  const send = async (value = draft.value.value): Promise<void> => {
    if (state.value !== "open") return;
    if (value !== "__abort__" && missing !== null) {
      problem.value = missing;
      return;
    }
    state.value = "sending";
    problem.value = null;
    try {
      const body = { seq: gate.seq, value: value ?? "", inputs: draft.value.inputs };
      await postJson<AnsweredJson>(apiPath("gates", gate.id), body, draft.value.key);
      state.value = "sent";
      dropDraft(name);
      answered();
    } catch (error) {
      problem.value = lateness(error) ?? (error instanceof Error ? error.message : String(error));
      state.value = "open";
      if (lateness(error) !== null) {
        state.value = "sent";
        dropDraft(name);
      }
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
      class="gate card"
      id={gate.id}
      tabIndex={-1}
      aria-label={`${gate.workflow ?? ""} ${gate.node_id}`}
      onKeyDown={onKeyDown}
    >
      <header class="row">
        <a
          href={addressOf(`/runs/${encodeURIComponent(gate.run_id)}`, { step: [...gate.path, gate.node_id].join("/") })}
        >
          {gate.workflow} · {[...gate.path, gate.node_id].join(" / ")}
        </a>
        <span class="grow" />
        <span class="soft small">asked {agoText(gate.presented_at, serverNow.value)}</span>
      </header>
      <Markdown text={gate.prompt} />
      {gate.kind === "gate" ? (
        <OptionList gate={gate} draft={draft.value} change={change} />
      ) : (
        <GateQuestions gate={gate} draft={draft.value} change={change} />
      )}
      {problem.value && (
        <p class="note" role="alert">
          {problem.value}
        </p>
      )}
      {!isReadOnly() && (
        <footer class="row">
          <button
            type="button"
            class="button main"
            aria-disabled={state.value !== "open" || missing !== null}
            onClick={(event) => {
              // Enter on the button is a click without a pointer and without a key that was let through.
              event.preventDefault();
              void send();
            }}
          >
            {state.value === "sending" ? "Sending …" : state.value === "sent" ? "Answered" : "Send"}
          </button>
          {gate.allow_abort && (
            <button type="button" class="button" onClick={() => void send("__abort__")}>
              Call it off
            </button>
          )}
          <span class="soft small">
            <kbd>Ctrl</kbd> <kbd>↵</kbd> sends
          </span>
        </footer>
      )}
    </article>
  );
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
