// Who acts: the person that a face knows, else the project's name for the user of this machine.
import { personOfUser } from "./people.ts";
import { personHere } from "./person-here.ts";
import type { Surroundings } from "./request.ts";

export const actingPerson = ({ person, people }: Pick<Surroundings, "person" | "people">): string =>
  person ?? personOfUser(personHere(), people);
