// Workflow files below the root: what can be started.
import { useSignal } from "@preact/signals";
import type { WorkflowsJson } from "../../../server/contract/workflows.ts";
import { about } from "../../api/client.ts";
import { Cut, StepState } from "../../parts/button.tsx";
import { Search } from "../../parts/field.tsx";
import { Inline } from "../../parts/markdown.tsx";
import { Empty, Pane, View } from "../../parts/pane.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { useFindable, workflowFound } from "../../shell/palette.tsx";
import { workflowPath } from "../../state/actions.ts";
import { addressOf, change, go, query } from "../../state/address.ts";
import { useKeys } from "../../state/keys.ts";
import { useAnswer } from "../../state/loaded.ts";
import { plural } from "../../text.ts";

type Listed = WorkflowsJson["workflows"][number];

const COLUMNS: readonly Column<Listed>[] = [
  {
    head: "Workflow",
    cell: ({ file, workflow, description, invalid }) => (
      <>
        <a class="strong" href={workflowPath(file)}>
          {workflow ?? file}
        </a>
        {description && <div class="soft">{description}</div>}
        {invalid && <Invalid invalid={invalid} file={file} />}
      </>
    ),
  },
  { head: "File", cell: ({ file }) => <span class="soft">{file}</span> },
  { head: "Inputs", is: "fact", isRoomy: true, cell: ({ inputs }) => inputs.join(", ") },
];

interface InvalidProps {
  readonly invalid: NonNullable<Listed["invalid"]>;
  readonly file: string;
}

/** Why a file cannot be run: the first error, with a way to its line. */
function Invalid({ invalid: { errors, message, file: where, line }, file }: InvalidProps) {
  return (
    <p class="invalid is-failed">
      <StepState state="failed" word={plural(errors, "error")} />
      <span>
        <Inline text={message} />{" "}
        <a href={addressOf(workflowPath(where), { view: "yaml", line })}>
          {where === file ? "" : `${where}, `}line {line}
        </a>
      </span>
    </p>
  );
}

export function WorkflowsView() {
  const loaded = useAnswer<WorkflowsJson>("/api/workflows");
  const text = query.value["text"] ?? "";
  const line = useSignal(-1);
  const shown = (loaded.value.value?.workflows ?? []).filter(({ file, workflow, description }) =>
    `${file} ${workflow} ${description}`.toLowerCase().includes(text.toLowerCase()),
  );
  const move = (by: number): void => {
    line.value = Math.max(0, Math.min(shown.length - 1, line.value + by));
  };
  const open = (): void => {
    const chosen = shown[line.value];
    if (chosen) go(workflowPath(chosen.file));
  };
  useKeys("workflows", { next: () => move(1), before: () => move(-1), open });
  useFindable(() => (loaded.value.peek()?.workflows ?? []).map(workflowFound), [loaded]);
  return (
    <View
      title="Workflows"
      tools={
        <>
          <Cut is="soft" text={about.value?.root ?? ""} />
          <span class="grow" />
          <Search
            label="Filter workflows"
            placeholder="Filter  /"
            value={text}
            typed={(typed) => change({ text: typed })}
          />
        </>
      }
    >
      <Pane loaded={loaded} what="The workflows">
        {({ workflows, truncated }) =>
          workflows.length === 0 ? (
            <Empty title="No workflow below this folder" command={"segno init\nsegno serve --root DIR"}>
              Make one here, or serve another folder:
            </Empty>
          ) : (
            <>
              <Table
                columns={COLUMNS}
                rows={shown}
                nameOf={({ file }) => file}
                chosen={line.value}
                open={({ file }) => go(workflowPath(file))}
              />
              {truncated && <p class="soft">and more, which are not listed</p>}
            </>
          )
        }
      </Pane>
    </View>
  );
}
