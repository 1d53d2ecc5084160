// The story of a run, as `segno explain` tells it: drive by drive, what ran, what went wrong and what became of it, and
// what a resume would do now.
import { useEffect } from "preact/hooks";
import { requestLine } from "../../../../events/typeable.ts";
import { completedWithout } from "../../../../graph/lights.ts";
import type { ExplainJson } from "../../../../server/contract/past.ts";
import type { ResumePlan } from "../../../../services/explain/plan.ts";
import type { Chapter, PermissionAsked, Scene, Trouble, VisitScene } from "../../../../services/explain/story.ts";
import { apiPath, get } from "../../../api/client.ts";
import { Pane } from "../../../parts/pane.tsx";
import { PlannedDrive } from "../../../parts/planned-drive.tsx";
import { type State, StepState } from "../../../parts/status.tsx";
import { clock, durationText, plural } from "../../../parts/text.ts";
import { copy } from "../../../parts/toast.tsx";
import { useLoaded } from "../../../state/loaded.ts";
import { chooseStep } from "../../../state/selection.ts";
import type { RunViewProps } from "../run-view-props.ts";
import { TroubleStory } from "./trouble.tsx";

export function StoryText({ model, about }: RunViewProps) {
  const loaded = useLoaded((signal) => get<ExplainJson>(apiPath("runs", model.id, "explain"), {}, signal), [model]);
  useEffect(() => {
    if (loaded.value.peek()) loaded.reload();
  }, [about.seq, about.status]);
  return (
    <div class="scroll padded story">
      <Pane loaded={loaded} what="The story">
        {({ chapters, resume, run }) => (
          <>
            {chapters.map((chapter) => (
              <ChapterStory chapter={chapter} isOnly={chapters.length === 1} key={chapter.drive} />
            ))}
            {run && run.not_executed.length > 0 && <p class="soft">Not reached: {run.not_executed.join(", ")}</p>}
            {resume && <ResumeStory plan={resume} />}
          </>
        )}
      </Pane>
    </div>
  );
}

/** On a fleet: why the drive before was left. */
const AFTER: Readonly<Record<string, string>> = {
  waiting: "waited for its time",
  "handed over": "been handed over by its worker",
};

function ChapterStory({ chapter, isOnly }: { readonly chapter: Chapter; readonly isOnly: boolean }) {
  const { drive, began_at, after, idle_ms, scenes, troubles, notes, end, file_changed, inputs_changed } = chapter;
  return (
    <section class="chapter">
      <h2>
        {isOnly ? "What happened" : `Drive ${drive}`} <span class="soft small">{clock(began_at)}</span>
      </h2>
      {after && (
        <p class="soft">
          Resumed after it had {AFTER[after] ?? after}
          {idle_ms ? `, ${durationText(idle_ms)} later` : ""}
          {file_changed ? ", with a changed file" : ""}
          {inputs_changed.length > 0 ? `, with other inputs (${inputs_changed.join(", ")})` : ""}.
        </p>
      )}
      <Scenes scenes={scenes} path={[]} />
      {troubles.map((trouble: Trouble, index: number) => (
        <TroubleStory trouble={trouble} key={index} />
      ))}
      {notes.length > 0 && (
        <ul class="soft small">
          {notes.map((note, index) => (
            <li key={index}>{note.node_id ? `${note.node_id}: ${note.message}` : note.message}</li>
          ))}
        </ul>
      )}
      {end && (
        <p>
          <strong>{end.status}</strong>
          {end.message && `: ${end.message}`}
        </p>
      )}
    </section>
  );
}

const STATES: Readonly<Record<VisitScene["status"], State>> = {
  completed: "completed",
  reused: "reused",
  recovered: "recovered",
  failed: "failed",
  cancelled: "cancelled",
  cut_off: "failed",
  paused: "waiting",
  running: "running",
};

function Scenes({ scenes, path }: { readonly scenes: readonly Scene[]; readonly path: readonly string[] }) {
  return (
    <ol class="scenes">
      {scenes.map((scene, index) =>
        "times" in scene ? (
          <li key={index}>
            <span class="soft">{scene.times} times:</span>
            <Scenes scenes={scene.scenes} path={path} />
          </li>
        ) : (
          <li key={index}>
            <OneScene scene={scene} path={path} />
            {scene.requests?.map((request, nth) => (
              <AskedAndAnswered request={request} key={nth} />
            ))}
            {scene.scenes && <Scenes scenes={scene.scenes} path={[...path, scene.node_id]} />}
          </li>
        ),
      )}
    </ol>
  );
}

const AskedAndAnswered = ({ request }: { readonly request: PermissionAsked }) => (
  <p class="soft small request">
    {requestLine(request.prompt)}: <strong>{request.answer ?? "no answer yet"}</strong>
    {request.answered_by && ` by ${request.answered_by}`}
  </p>
);

function OneScene({ scene, path }: { readonly scene: VisitScene; readonly path: readonly string[] }) {
  const { node_id, type, status, attempts, duration_ms, kind, why, answer, reason, members } = scene;
  // A group that went on without some is no clean success: the same mark as in the graph and on the timeline.
  const lost = status === "completed" ? (members?.failed ?? 0) : 0;
  return (
    <div class="scene">
      <StepState state={lost > 0 ? "recovered" : STATES[status]} word="" />
      <button type="button" class="link" onClick={() => chooseStep({ path, node: node_id })}>
        {node_id}
      </button>
      <span class="soft">
        {type.replace("_", " ")} · {lost > 0 ? completedWithout(lost) : status.replace("_", " ")}
        {attempts > 1 && ` after ${attempts} attempts`} · {durationText(duration_ms)}
        {members &&
          ` · ${members.completed + members.reused + members.recovered} of ${plural(members.count, "member")}`}
        {answer && ` · answered ${answer}`}
        {why && ` · ${why}`}
        {reason && ` · ${reason}`}
      </span>
      {kind && <code class="kind">{kind}</code>}
    </div>
  );
}

/** What a resume would do now. */
function ResumeStory({ plan }: { readonly plan: ResumePlan }) {
  const { command } = plan;
  return (
    <section class="chapter">
      <h2>If you resume now</h2>
      <PlannedDrive plan={plan} />
      {command && (
        <button type="button" class="command" onClick={() => void copy(command, "the command")}>
          <code>{command}</code>
        </button>
      )}
    </section>
  );
}
