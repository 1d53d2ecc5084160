// What templates remark while they render is a warning of the run: once for each node and remark, however often it renders.
import { withRemarks } from "../../template/remarks.ts";
import type { WorkflowFrame } from "../frame.ts";

/** Runs what renders the templates of a node; of the workflow itself, when there is none. */
export function remarked<T>(frame: WorkflowFrame, node: string | null, render: () => T): T {
  return withRemarks((message) => {
    const key = `${node ?? ""}|${message}`;
    if (frame.remarks.has(key)) return;
    frame.remarks.add(key);
    frame.engine.durable.note(frame.path, "warning", { node, message });
  }, render);
}
