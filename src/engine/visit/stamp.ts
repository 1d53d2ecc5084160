// An error becomes an envelope with its place; one that crossed a boundary keeps the place where it was raised.
import { type Envelope, envelope, type Raised } from "../../errors/index.ts";
import type { Visit } from "../frame.ts";
import type { Member } from "./work.ts";

export function stamped({ frame, work, ledBy, member }: Visit, attempt: number, error: Raised): Envelope {
  const crossed = "raised_at" in error ? (error as Envelope) : undefined;
  const made = crossed
    ? attempt > 1
      ? { ...crossed, attempts: attempt }
      : crossed
    : envelope(error, { workflow: frame.name, node: work.name, attempt });
  const placed = member && made.group === undefined ? { ...made, ...memberPlace(member) } : made;
  return ledBy && !placed.cause ? { ...placed, cause: ledBy } : placed;
}

const memberPlace = ({ group, item_key }: Member): Pick<Envelope, "group" | "item_key"> =>
  item_key === undefined ? { group } : { group, item_key };
