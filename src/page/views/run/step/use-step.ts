// All that is known of the step that is chosen, asked again while it changes.
import { useEffect, useRef } from "preact/hooks";
import type { RunEvent } from "../../../../events/registry.ts";
import type { StepJson } from "../../../../server/contract/step.ts";
import { apiPath, get } from "../../../api/client.ts";
import { type Loaded, useLoaded } from "../../../state/loaded.ts";
import { lightAt } from "../../../state/run-lights.ts";
import type { RunModel, RunMoment } from "../../../state/run-model.ts";
import type { Selection } from "../../../state/selection.ts";
import { type StepAddress, stepText } from "../../../state/step-address.ts";

const AGAIN_MS = 300;

export function useStep(
  { model, moment, step }: { readonly model: RunModel; readonly moment: RunMoment; readonly step: StepAddress },
  { visit, item, at }: Selection,
): Loaded<StepJson> {
  const loaded = useLoaded(
    (signal) => get<StepJson>(apiPath("runs", model.id, "steps", ...step.path, step.node), { visit, item, at }, signal),
    [model, stepText(step), visit, item, at],
  );
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const askAgain = (): void => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      loaded.reload();
    }, AGAIN_MS);
  };
  useEffect(() => {
    if (at !== null) return;
    const stop = model.onEvents((events) => {
      if (events.some((event) => isAbout(event, step))) askAgain();
    });
    return () => {
      stop();
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [loaded, at]);
  const light = lightAt(moment, step, item)?.state;
  useEffect(() => {
    // What other steps did may change how it stands, and so does the end of the run's process.
    if (at === null && loaded.value.peek()) askAgain();
  }, [light]);
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
