// A question that waits, or how it was answered.
import { Markdown } from "../../../parts/markdown.tsx";

interface QuestionProps {
  readonly question: Readonly<Record<string, unknown>> | null;
  readonly answer: Readonly<Record<string, unknown>> | null;
  readonly seq: number;
}

export function QuestionView({ question, answer }: QuestionProps) {
  return (
    <section class="part note">
      {question && (
        <>
          <Markdown text={String(question["prompt"] ?? "")} />
          <p>
            <a href="/gates">Answer it</a>
          </p>
        </>
      )}
      {answer && (
        <p>
          <strong>{String(answer["selected"] ?? "")}</strong>{" "}
          <span class="soft">by {String(answer["answered_by"] ?? "")}</span>
        </p>
      )}
    </section>
  );
}
