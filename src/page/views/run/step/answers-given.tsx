// What people answered: which option, what to each question, what they allowed; and who they are, and when.
import type { AnswerGivenJson, RequestJson } from "../../../../server/contract/step.ts";
import { Markdown } from "../../../parts/markdown.tsx";
import { clock } from "../../../parts/text.ts";

export function AnswersGiven({ answer }: { readonly answer: AnswerGivenJson }) {
  if (answer.kind === "gate")
    return (
      <p class="part note">
        <span>
          <strong>{answer.selected}</strong> <By who={answer.answered_by} at={answer.at} />
        </span>
      </p>
    );
  return (
    <section class="part note answers">
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
export function RequestsAnswered({ requests }: { readonly requests: readonly RequestJson[] }) {
  return (
    <>
      {requests
        .filter(({ selected }) => selected !== null)
        .map(({ prompt, selected, answered_by, at }, index) => (
          <section class="part note request" key={index}>
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
