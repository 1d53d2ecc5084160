// A run as a whole: how it begins, goes on and ends.
import { z } from "zod";
import { any, define, envelope, flag, heldBack, map, number, outline, termination, text, texts } from "./fields.ts";

export const RUN_EVENTS = {
  workflow_started: define("A run began.", {
    name: text,
    file: text,
    entry_point: text,
    version: text.optional(),
    outline,
    inputs: map,
    /** Which inputs are secret: their values are kept apart, and what stands for them in `inputs` is a placeholder. */
    hidden_inputs: texts.optional(),
    metadata: map.optional(),
    routes: z.array(z.object({ from: text, to: text, when: text.optional(), on_error: any.optional() })),
    durability: text,
    /** The provider that overrides the files', if one was chosen. */
    provider: text.optional(),
    definition_hash: text,
    /** What files of each dialect mean in this run, as long as it lasts. Runs that were begun under 0.3 have none. */
    semantics: z.record(text, map).optional(),
    /** What the run is called. */
    run_name: text.optional(),
    /** Of a row of an eval: which one. */
    eval_id: text.optional(),
    /** A person (`alex@box`, or their name in the project), or what started it: `trigger:nightly`. */
    started_by: text.optional(),
    /** Of a trigger: the person who set it off, by hand or with the run that it follows. */
    fired_by: text.optional(),
    /** Of a trigger that follows a run: who had changed that run, and so what this one is about. */
    changed_by: texts.optional(),
    system: map,
  }),
  run_resumed: define("A further drive of the run began.", {
    drive: number,
    outline,
    definition_hash: text,
    file_changed: flag,
    inputs_changed: texts,
    inputs: map,
    hidden_inputs: texts.optional(),
    from: text.optional(),
    force: flag.optional(),
    /** Steps whose script files had changed were to run again. */
    changed_files: flag.optional(),
    max_iterations: number.optional(),
    max_visits: number.optional(),
    provider: text.optional(),
    /** Why the drive before ended: `failed`, `paused`, `cancelled`, or `crashed` when it recorded no end. */
    after: text,
    reason: text,
    /** Who had it go on. */
    by: text.optional(),
    /** It goes on because they answered: what changed meanwhile is not their doing. */
    answers: flag.optional(),
    /** Of scripts that were cut off with the drive before. */
    held_back: heldBack,
    system: map,
  }),
  keyframe_resumed: define("The drive continues from a keyframe, a snapshot of the run: visits before it are reused.", {
    /** The number of the last event before the keyframe. */
    seq: number,
    /** How many visits of the root workflow's nodes are not walked again. */
    visits: number,
    /** The root's nodes as the keyframe has them; `handed_to`: the step that was to handle its error next. */
    nodes: z.array(z.object({ name: text, key: text.nullable(), status: text, handed_to: text.optional() })),
  }),
  /** After the run's end, and no drive of it: what follows is about these items alone, and the end stays as it was. */
  items_retried: define("Failed items of a run that had ended run again, each by itself.", {
    items: texts,
    by: text.optional(),
    system: map,
  }),
  reused_behind_retry: define("Lost items ran again, and these steps behind them were reused.", {
    steps: texts,
    /** The root's node to start from, so that the first of them runs again. */
    from: text,
  }),
  workflow_completed: define("The run ended well.", { elapsed: number, output: any, degraded: flag, ...termination }),
  workflow_failed: define("The run ended badly.", {
    elapsed: number,
    error_type: text,
    message: text,
    agent_name: text.nullable(),
    /** The sub-workflow that the step is in, when it is not in the root's file: a `halt` goes straight up from there. */
    agent_path: texts.optional(),
    error: envelope.optional(),
    errors_jsonl: text.optional(),
    resumable: flag,
    output: any.optional(),
    ...termination,
  }),
  run_paused: define("The run waits for the answer of a person.", { reason: text, gate: map }),
  run_cancelled: define("The run was cancelled.", {
    reason: text,
    agent_name: text.nullable(),
    /** Who stopped it, where that is known. */
    by: text.optional(),
  }),
} as const;
