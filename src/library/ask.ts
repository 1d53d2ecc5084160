// Answering gates and questions from code: what `ask` is given, and what it gives.
import type { Progress, Question, Answer as Signed, Unsigned } from "../engine/people/ask.ts";

type OfKind<Kind extends Signed["kind"]> = Unsigned<Extract<Signed, { readonly kind: Kind }>>;

/**
 * An answer to a gate. Who answered is recorded by Segno: the user that this process runs as, by the name that the project
 * gives them. `by` is recorded beside it, as a claim (`claimed_by`).
 */
export type GateAnswer = OfKind<"gate">;
export type QuestionsAnswer = OfKind<"questions">;
export type DialogAnswer = OfKind<"dialog">;
export type Answer = GateAnswer | QuestionsAnswer | DialogAnswer;

/** Asks a person. `undefined`: no one can be asked, the run pauses. The signal aborts when another person answered. */
export type Asker = (question: Question, signal: AbortSignal, progress?: Progress) => Promise<Answer | undefined>;
