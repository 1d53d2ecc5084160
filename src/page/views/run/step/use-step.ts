// All that is known of the step that is chosen, asked again while it changes.
import { useEffect } from "preact/hooks";
import type { RunEvent } from "../../../../events/registry.ts";
import type { StepJson } from "../../../../server/contract/step.ts";
import { apiPath, get } from "../../../api/client.ts";
import { type Loaded, useLoaded } from "../../../state/loaded.ts";
import type { RunModel } from "../../../state/run-model.ts";
import type { Selection } from "../../../state/selection.ts";
import { type StepAddress, stepText } from "../../../state/step-address.ts";

const AGAIN_MS = 300;

export function useStep(model: RunModel, step: StepAddress, { visit, item, at }: Selection): Loaded<StepJson> {
  const loaded = useLoaded(
    (signal) => get<StepJson>(apiPath("runs", model.id, "steps", ...step.path, step.node), { visit, item, at }, signal),
    [model, stepText(step), visit, item, at],
  );
  const isCrashed = model.about.value?.status === "crashed";
  useEffect(() => {
    // Of this no event says anything.
    if (at === null && loaded.value.peek()) loaded.reload();
  }, [isCrashed]);
  useEffect(() => {
    if (at !== null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = model.onEvents((events) => {
      if (timer !== undefined || !events.some((event) => isAbout(event, step))) return;
      timer = setTimeout(() => {
        timer = undefined;
        loaded.reload();
      }, AGAIN_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [loaded, at]);
  return loaded;
}

/** Events name their step in one of these fields. */
function isAbout({ path, data }: RunEvent, step: StepAddress): boolean {
  const { agent_name, node, group_name, from_agent } = data as Readonly<Record<string, unknown>>;
  const named = agent_name ?? node ?? group_name ?? from_agent;
  return (
    named === step.node && path.length === step.path.length && path.every((slot, index) => slot === step.path[index])
  );
}
