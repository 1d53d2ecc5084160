// An error becomes an envelope with its place; one that crossed a boundary keeps the place where it was raised.
import { causedBy, type Envelope, envelope, type GroupPlace, type Raised } from "../../errors/index.ts";
import type { Visit } from "../frame.ts";
import { type Member, placeInGroup } from "./work.ts";

export function stamped({ frame, work, ledBy, member }: Visit, attempt: number, error: Raised): Envelope {
  const crossed = "raised_at" in error ? (error as Envelope) : undefined;
  const made = crossed
    ? attempt > 1
      ? { ...crossed, attempts: attempt }
      : crossed
    : { ...envelope(error, { workflow: frame.name, node: work.name, attempt }), ...allPlaces(frame.places, member) };
  const placed = member && made.group === undefined ? { ...made, ...placeInGroup(member) } : made;
  // A group's error is a member's, which was stamped when that member raised it.
  const isMembers = crossed !== undefined && !work.step;
  return ledBy && !isMembers && !isCauseOf(ledBy, placed) ? causedBy(placed, ledBy) : placed;
}

/** What a step's error wraps may have been stamped before: an undeclared kind wraps the error that the step raised. */
const isCauseOf = (cause: Envelope, error: Envelope): boolean =>
  error.cause !== undefined && (error.cause === cause || isCauseOf(cause, error.cause));

/** Known where it is raised, so that what is recorded inside an inner group names the outer item as well. */
function allPlaces(outer: readonly GroupPlace[], member: Member | undefined): Pick<Envelope, "items"> {
  const items = member ? [...outer, placeInGroup(member)] : outer;
  return items.length > 1 ? { items } : {};
}
