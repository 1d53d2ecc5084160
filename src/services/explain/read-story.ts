// All that a run recorded, read once from its journal: its state, its story, and the files of each drive.
import { apply, initialState } from "../../events/fold.ts";
import type { RunEvent } from "../../events/registry.ts";
import type { RunState } from "../../events/state.ts";
import type { RunReader } from "../../hosts/run-reader.ts";
import type { Redactor } from "../../redact/index.ts";
import { redactEvent } from "../../results/index.ts";
import type { Extensions } from "../extensions.ts";
import { eachEvent, redactorFor } from "../read-run.ts";
import type { Surroundings } from "../request.ts";
import type { PinnedDefinition } from "./definition.ts";
import { Editions } from "./editions.ts";
import { StoryFold } from "./story-fold.ts";

export interface ReadStory {
  readonly state: RunState;
  readonly fold: StoryFold;
  readonly editions: Editions;
  readonly redactor: Redactor;
  /** The files of each drive that the fold has a chapter of. */
  readonly definitions: readonly PinnedDefinition[];
  /** Those of the last. */
  readonly latest: PinnedDefinition;
}

/** What scripts print and models say is no part of the story, and most of the journal. */
const NOT_IN_STORY: ReadonlySet<RunEvent["type"]> = new Set([
  "script_output",
  "agent_message",
  "agent_reasoning",
  "agent_prompt_rendered",
]);

export async function readStory(
  reader: RunReader,
  surroundings: Surroundings & { readonly extensions?: Extensions },
): Promise<ReadStory> {
  const redactor = await redactorFor(reader, surroundings);
  const state = initialState(reader.runId);
  const editions = await Editions.read(reader, surroundings);
  const fold = new StoryFold((path, node, before, now) =>
    editions.environmentOf(path, node, before, now > state.drives ? "now" : now),
  );
  await eachEvent(reader.events(), (event) => {
    apply(state, event);
    editions.add(event);
    if (NOT_IN_STORY.has(event.type)) fold.passed(event);
    else fold.add(redactEvent(withoutOutput(event), redactor));
  });
  const definitions = fold.chapters.map(({ drive }) => editions.ofDrive(drive));
  return { state, fold, editions, redactor, definitions, latest: definitions.at(-1) ?? editions.ofDrive(1) };
}

/** Outputs of steps that went well are no part of the story, and may be large: what an agent changed stands beside them. */
function withoutOutput(event: RunEvent): RunEvent {
  if (event.type !== "agent_completed") return event;
  return { ...event, data: { ...event.data, output: undefined } };
}
