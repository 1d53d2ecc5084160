// The story of a run, as `segno explain` tells it: drive by drive, what ran, what went wrong and what became of it, and
// what a resume would do now.
import { useEffect } from "preact/hooks";
import { callerOfSlot } from "../../../../base/events/key.ts";
import { requestLine } from "../../../../base/events/typeable.ts";
import { completedWithout } from "../../../../graph/lights.ts";
import type { ResumePlan } from "../../../../services/explain/plan.ts";
import type {
  Chapter,
  PermissionAsked,
  Scene,
  Trouble,
  TroubleEnding,
  VisitScene,
} from "../../../../services/explain/story.ts";
import type { ExplainJson } from "../../../server/contract/log.ts";
import { apiPath } from "../../api/client.ts";
import { StepState, stepState, TextLink } from "../../parts/button.tsx";
import { PlannedDrive } from "../../parts/drive-dialogs.tsx";
import { Pane } from "../../parts/pane.tsx";
import { copy } from "../../parts/toast.tsx";
import { useAnswer } from "../../state/loaded.ts";
import type { RunViewProps } from "../../state/run-model.ts";
import { chooseStep } from "../../state/selection.ts";
import { type StepAddress, stepText } from "../../state/step-address.ts";
import { clock, countText, durationText, plural } from "../../text.ts";

export function StoryText({ model, about }: RunViewProps) {
  const loaded = useAnswer<ExplainJson>(apiPath("runs", model.id, "explain"));
  useEffect(() => {
    if (loaded.value.peek()) loaded.reload();
  }, [about.seq, about.status]);
  return (
    <div class="scroll padded story column">
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

const AFTER: Readonly<Record<string, string>> = {
  waiting: "waited for its time",
  "handed over": "been handed over by its worker",
};

function ChapterStory({ chapter, isOnly }: { readonly chapter: Chapter; readonly isOnly: boolean }) {
  const { drive, began_at, after, idle_ms, scenes, troubles, notes, end, file_changed, inputs_changed } = chapter;
  return (
    <section class="chapter column">
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
      {troubles.map((trouble, index) => (
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

function Scenes({ scenes, path }: { readonly scenes: readonly Scene[]; readonly path: readonly string[] }) {
  return (
    <ol class="scenes column">
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
      <StepState state={lost > 0 ? "recovered" : stepState(status)} word="" />
      <TextLink go={() => chooseStep({ path, node: node_id })}>{node_id}</TextLink>
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

function ResumeStory({ plan }: { readonly plan: ResumePlan }) {
  const { command } = plan;
  return (
    <section class="chapter column">
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

export function TroubleStory({ trouble }: { readonly trouble: Trouble }) {
  const { node_id, path, raised, retries, routes, ending, location, times, item_key, carried, alike, unreadable } =
    trouble;
  const address = { path, node: node_id };
  return (
    <div class="story-trouble column">
      <p>
        <TextLink go={() => chooseStep(address, { item: item_key ?? null })}>
          {stepText(address)}
          {item_key && ` [${item_key}]`}
        </TextLink>{" "}
        {carried ? "handed on" : "raised"}
        {times && ` ${times} times`}
        {alike && <Alike step={address} items={alike} />}
        {location && (
          <span class="soft small">
            {" "}
            {location.file}:{location.line}
          </span>
        )}
      </p>
      {raised.map(({ kind, message, attempts, cause }) => (
        <p key={`${kind} ${attempts.join()}`}>
          <code class="kind">{kind}</code> {message}
          {attempts.length > 1 && <span class="soft"> on attempts {attempts.join(", ")}</span>}
          {cause && (
            <span class="soft">
              {" "}
              because of <code class="kind">{cause.kind}</code> in {cause.node}: {cause.message}
            </span>
          )}
        </p>
      ))}
      {retries.length > 0 && <p class="soft">{plural(retries.length, "retry", "retries")}</p>}
      {routes.length > 0 && (
        <ul class="story-routes">
          {routes.map(({ text, line, taken, verdict, why }) => (
            <li class={taken ? "taken" : undefined} key={`${line} ${text}`}>
              <code>{text}</code>
              <span class="soft">
                {line !== null && ` line ${line}`} · {verdict}
                {why && why !== verdict && `: ${why}`}
              </span>
            </li>
          ))}
        </ul>
      )}
      {unreadable && <p class="soft">Reading stopped there: {unreadable}</p>}
      <p>{endingText(ending)}</p>
    </div>
  );
}

const NAMED = 3;

/** The other items that had the same, as links: some of them when they are many. */
function Alike({ step, items }: { readonly step: StepAddress; readonly items: readonly string[] }) {
  const named = items.length <= NAMED + 1 ? items : items.slice(0, NAMED);
  const more = items.length - named.length;
  const last = named.length - 1;
  // Items of a sub-workflow may be alike in other items of the one that called it: then a name alone leads nowhere.
  const isLink = step.path.every((slot) => callerOfSlot(slot) === slot);
  return (
    <span class="soft">
      {" (and so did "}
      {named.map((item, index) => (
        <span key={index}>
          {index > 0 && (index === last && more === 0 ? " and " : ", ")}
          {isLink ? <TextLink go={() => chooseStep(step, { item })}>{item}</TextLink> : item}
        </span>
      ))}
      {more > 0 && ` and ${countText(more)} more`})
    </span>
  );
}

function endingText(ending: TroubleEnding): string {
  switch (ending.type) {
    case "succeeded":
      return `Attempt ${ending.attempt} succeeded.`;
    case "recovered":
      return `Recovered by ${ending.by}.`;
    case "routed":
      return `It was handed to ${ending.to}, which has not got to its end.`;
    case "terminated":
      return `${ending.by} ended the run: ${ending.reason}`;
    case "halted":
      return "It halted the run.";
    case "went_up":
      return "It went up to the parent workflow.";
    case "to_group":
      return ending.went_on ? `The group ${ending.group} went on without it.` : `It failed the group ${ending.group}.`;
    case "unhandled":
      return "No route took it.";
    case "open":
      return "No route was read.";
    default:
      return ending satisfies never;
  }
}
