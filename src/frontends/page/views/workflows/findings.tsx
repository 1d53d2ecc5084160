// What validation says of a file: what keeps it from loading, and what it only warns of, each with a way to its line, on the
// page or in the author's editor.
import { useSignal } from "@preact/signals";
import { isOfAnyStep, whoHandles } from "../../../../base/errors/who-handles.ts";
import type { EditorJson, WorkflowJson } from "../../../server/contract/workflows.ts";
import { about, apiPath, postJson } from "../../api/client.ts";
import { Icon, StepState } from "../../parts/button.tsx";
import { Inline } from "../../parts/markdown.tsx";
import { Part } from "../../parts/pane.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { say } from "../../parts/toast.tsx";
import { sayProblem, workflowPath } from "../../state/actions.ts";
import { addressOf, go } from "../../state/address.ts";
import { plural } from "../../text.ts";

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

export const Findings = ({ workflow }: { readonly workflow: WorkflowJson }) => (
  <>
    <FindingList title="error" workflow={workflow} />
    <FindingList title="warning" workflow={workflow} />
  </>
);

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
  readonly workflow: WorkflowJson;
}

function FindingList({ title, workflow }: FindingListProps) {
  const findings = shownFindings(workflow).filter(({ isError }) => isError === (title === "error"));
  if (findings.length === 0) return null;
  const look = title === "error" ? "failed" : "recovered";
  return (
    <Part title={plural(findings.length, title)}>
      <ul class="findings column">
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
                {place && <LineLink place={place} file={workflow.file} />}
                {rule && <span>{rule}</span>}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Part>
  );
}

type Raising = WorkflowJson["raises"][number]["raises"][number];

interface RaisesRow extends Raising {
  readonly node: string;
  /** Of those of its step: the others do not repeat its name. */
  readonly isFirst: boolean;
}

const COLUMNS: readonly Column<RaisesRow>[] = [
  { head: "Step", cell: ({ node, isFirst }) => (isFirst ? node : "") },
  { head: "Kind", cell: ({ kind }) => <code class="kind">{kind}</code> },
  { head: "Handled by", cell: (raising) => <HandledBy raising={raising} /> },
];

/** What a workflow can raise, and who handles it: `segno errors` as a table. */
export function RaisesTable({ workflow }: { readonly workflow: WorkflowJson }) {
  const isAll = useSignal(false);
  const shown = (raising: Raising): boolean => isAll.value || !isOfAnyStep(raising.kind);
  const all = workflow.raises.filter(({ raises }) => raises.length > 0);
  const rows = all.flatMap(({ node_id: node, raises }) =>
    raises.filter(shown).map((raising, index) => ({ ...raising, node, isFirst: index === 0 })),
  );
  if (all.length === 0) return null;
  return (
    <section class="part column">
      <div class="row">
        <h2>What it can raise</h2>
        <button type="button" class="chip" aria-pressed={isAll.value} onClick={() => (isAll.value = !isAll.value)}>
          also what any step can
        </button>
      </div>
      {rows.length === 0 ? (
        <p class="soft">Nothing of its own.</p>
      ) : (
        <Table columns={COLUMNS} rows={rows} nameOf={({ node, kind, source }) => `${node} ${kind} ${source}`} />
      )}
    </section>
  );
}

function HandledBy({ raising }: { readonly raising: Raising }) {
  const handled = raising.handled_by ?? raising.propagated_by;
  if (!handled) return <StepState state="failed" word={whoHandles(raising)} />;
  return (
    <span>
      {whoHandles(raising)}
      <span class="soft small">
        {" "}
        {handled.table === "step" ? "" : `${handled.table}, `}line {handled.line}
      </span>
    </span>
  );
}

/** The page of `segno graph --watch`: only that leads to an editor. */
export const isPreview = (): boolean => about.value?.preview ?? false;

/** Gives whether an editor went there; says the place where there is none. */
export async function askEditorToShow(
  file: string,
  place: { readonly node: string } | { readonly line: number },
): Promise<boolean> {
  try {
    const { file: where, line, shown } = await postJson<EditorJson>(apiPath("editor", ...file.split("/")), place);
    if (!shown) say(`${where}:${line}. No editor with this file is connected.`);
    return shown;
  } catch (error) {
    sayProblem(error);
    return false;
  }
}
