// What validation says of a file: what keeps it from loading, and what it only warns of, each at its line.
import type { WorkflowJson } from "../../../server/contract/workflows.ts";
import { Icon } from "../../parts/icon.tsx";
import { Inline } from "../../parts/inline.tsx";
import { plural } from "../../parts/text.ts";
import { workflowPath } from "../../state/actions.ts";
import { addressOf } from "../../state/address.ts";

interface Place {
  readonly file: string;
  readonly line: number;
}

interface Finding {
  readonly isError: boolean;
  readonly rule: string;
  readonly message: string;
  readonly place: Place | null;
}

export const shownFindings = ({ problems }: WorkflowJson): readonly Finding[] =>
  problems.map((problem) => ({
    isError: problem["severity"] !== "warning",
    rule: String(problem["rule"] ?? ""),
    message: String(problem["message"] ?? JSON.stringify(problem)),
    place: (problem["location"] as Place | undefined) ?? null,
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
                {place && (
                  <a href={addressOf(workflowPath(place.file), { view: "yaml", line: place.line })}>
                    {place.file === file ? "" : `${place.file}, `}line {place.line}
                  </a>
                )}
                {rule && <span>{rule}</span>}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
