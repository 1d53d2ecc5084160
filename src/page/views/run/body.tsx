// The view of the run that its tab names.
import { useComputed } from "@preact/signals";
import { lazy } from "../../shell/lazy.tsx";
import { selection } from "../../state/selection.ts";
import { RunGraph } from "./graph/run-graph.tsx";
import type { RunViewProps } from "./run-view-props.ts";

const Timeline = lazy<RunViewProps>(() => import("./time/index.tsx").then(({ Timeline: view }) => view));
const Log = lazy<RunViewProps>(() => import("./log/index.tsx").then(({ EventLog: view }) => view));
const StoryText = lazy<RunViewProps>(() => import("./story/index.tsx").then(({ StoryText: view }) => view));
const RunOutput = lazy<RunViewProps>(() => import("./output/index.tsx").then(({ RunOutput: view }) => view));

export function RunBody(props: RunViewProps) {
  const view = useComputed(() => selection.value.view).value;
  switch (view) {
    case "graph":
      return <RunGraph {...props} />;
    case "time":
      return <Timeline {...props} />;
    case "log":
      return <Log {...props} />;
    case "story":
      return <StoryText {...props} />;
    case "output":
      return <RunOutput {...props} />;
    default:
      return view satisfies never;
  }
}
