// People who can be asked in this process: at its terminal, or by the function of a library's user. The answering
// person is the owner of the process, whatever the answer itself says.
import { notCounting } from "../../engine/people/approval.ts";
import type { Answer, Answerer, Asker, Question, Unsigned, Waiting } from "../../engine/people/ask.ts";
import { COMMAND_LINE } from "../../results/index.ts";
import { type KnownPerson, processOwner } from "../access/acting-person.ts";
import type { DriveListeners, FaceAsker } from "../request.ts";
import type { Session } from "../session/session.ts";

export interface AskingHere extends Pick<Session, "project" | "reader">, Pick<DriveListeners, "askedVia"> {
  readonly runId: string;
}

/** The face asks; Segno says whose answer it is, and how it came. */
export const askHere =
  (ask: FaceAsker, here: AskingHere): Asker =>
  async (question, signal, progress) => {
    const { askedVia: via = "terminal" } = here;
    const who = processOwner(here.project?.people);
    const refusal = refusalFor(question, via, who, here);
    // A copy: who may answer is judged by the engine's own, whatever a program does to the one that it is given.
    const answer = await ask(structuredClone(question), signal, {
      person: who.person,
      // Nor do parts of an answer count that does not.
      ...(refusal !== undefined ? { refusal } : progress ? { progress } : {}),
    });
    if (!answer) return undefined;
    return signed(answer, { by: via, ...who });
  };

/** Whatever the answer says of itself is a claim; a program that is not typed may have put anything into it. */
function signed(answer: Unsigned, answerer: Answerer): Answer {
  const { by, person: _, user: _user, claims: _claims, ...said } = answer as Unsigned & Partial<Answerer>;
  const claims = typeof by !== "string" || by === answerer.by ? {} : { claims: by };
  return { ...said, ...answerer, ...claims } as Answer;
}

const WHO_YOU_ARE = {
  no_approver: "who is not an approver",
  changed_run: "who resumed the run with other inputs or another file (four_eyes)",
  started_run: "who started the run (four_eyes)",
} as const;

/** Who may answer instead, and how; nothing when the person here may. */
function refusalFor(
  question: Question,
  via: string,
  { person, user }: KnownPerson,
  { runId, reader = COMMAND_LINE }: AskingHere,
): string | undefined {
  if (question.kind === "dialog") return undefined;
  const why = notCounting(question, { by: via, person, ...(user === undefined ? {} : { user }) });
  if (why === undefined || why === "agent" || why === "unknown") return undefined;
  const command = reader.ask({ to: "answer", run: runId });
  return [
    `${question.node} needs an answer from ${whoMay(question)}.`,
    `You are ${person}, ${WHO_YOU_ARE[why]}.`,
    ...(command === null ? [] : [`They answer with: ${command}`]),
  ].join(" ");
}

function whoMay({ approvers, not_by, nor_by = [] }: Waiting): string {
  const others = new Set([...(not_by === undefined ? [] : [not_by]), ...nor_by]);
  const left = approvers?.filter((name) => !others.has(name)) ?? [];
  return left.length > 0 ? left.join(" or ") : `someone other than ${[...others].join(" and ")}`;
}
