// What validation says of a file: what keeps it from loading, and what it only warns of, each at its line.
import type { WorkflowJson } from "../../../server/contract/workflows.ts";
import { Icon } from "../../parts/icon.tsx";
import { Inline } from "../../parts/inline.tsx";
import { plural } from "../../parts/text.ts";
import { workflowPath } from "../../state/actions.ts";
import { addressOf, go } from "../../state/address.ts";
import { askEditorToShow, isPreview } from "../../state/editor.ts";

interface Place {
  readonly file: string;
  readonly line: number;
}

interface Finding {
  readonly isError: boolean;
  readonly rule: string;
  readonly message: string;
  readonly place: Place | null;
  /** The node of the picture that it is about. */
  readonly node: string | null;
}

export const shownFindings = ({ problems }: WorkflowJson): readonly Finding[] =>
  problems.map((problem) => ({
    isError: problem["severity"] !== "warning",
    rule: String(problem["rule"] ?? ""),
    message: String(problem["message"] ?? JSON.stringify(problem)),
    place: (problem["location"] as Place | undefined) ?? null,
    node: (problem["drawn_at"] as string | null | undefined) ?? null,
  }));

export function Findings({ workflow }: { readonly workflow: WorkflowJson }) {
  const all = shownFindings(workflow);
  return (
    <>
      <FindingList title="error" findings={all.filter(({ isError }) => isError)} file={workflow.file} />
      <FindingList title="warning" findings={all.filter(({ isError }) => !isError)} file={workflow.file} />
    </>
  );
}

/** To the line: in the editor, where one is connected, else in the file as the page shows it. */
export function LineLink({ place, file }: { readonly place: Place; readonly file: string }) {
  const address = addressOf(workflowPath(place.file), { view: "yaml", line: place.line });
  const click = (event: MouseEvent): void => {
    if (!isPreview() || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    void askEditorToShow(place.file, { line: place.line }).then((isShown) => isShown || go(address));
  };
  return (
    <a href={address} onClick={click}>
      {place.file === file ? "" : `${place.file}, `}line {place.line}
    </a>
  );
}

interface FindingListProps {
  readonly title: "error" | "warning";
  readonly findings: readonly Finding[];
  readonly file: string;
}

function FindingList({ title, findings, file }: FindingListProps) {
  if (findings.length === 0) return null;
  const look = title === "error" ? "failed" : "recovered";
  return (
    <section class="part">
      <h2>{plural(findings.length, title)}</h2>
      <ul class="findings">
        {findings.map(({ rule, message, place }, index) => (
          <li class={`finding is-${look}`} key={index}>
            <span class="status">
              <Icon name={title === "error" ? "failed" : "degraded"} />
              <span class="only-heard">{title}</span>
            </span>
            <div class="grow">
              <p>
                <Inline text={message} />
              </p>
              <p class="small soft row wrap">
                {place && <LineLink place={place} file={file} />}
                {rule && <span>{rule}</span>}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
