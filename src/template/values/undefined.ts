// A name or field that is not there. It may be handed around and asked whether it is
// defined; any other use raises, naming the path, the missing part and what is there instead.

import { fail } from "../error.ts";
import { Internal, type Kind } from "./value.ts";

interface Absence {
  readonly path?: string;
  readonly missing?: string;
  readonly parentPath?: string;
  readonly parentType?: string;
  /** Asked only when the error is raised. */
  readonly available?: () => readonly string[];
  readonly place?: () => { readonly line: number; readonly column: number; readonly template?: string };
  /** Said instead of the usual sentence, for what no path leads to: the first item of an empty list. */
  readonly message?: string;
}

export class Undefined extends Internal {
  readonly kind: Kind = "undefined";
  constructor(readonly absence: Absence) {
    super();
  }
}

/**
 * What `x if condition` without an else gives: undefined like the others, but it prints as
 * nothing, is false and is empty, as in Jinja2, because `{{ ", " if not loop.last }}` is common.
 */
export class Nothing extends Undefined {}

const SHOWN = 20;

export function raiseUndefined(value: Undefined, wholePath?: string): never {
  const { absence } = value;
  const available = absence.available?.();
  const path = wholePath ?? absence.path;
  return fail("undefined", absence.message ?? sentence(absence, path, available), {
    path,
    missing: absence.missing,
    parentPath: absence.parentPath,
    parentType: absence.parentType,
    available,
    ...absence.place?.(),
  });
}

function sentence(absence: Absence, path: string | undefined, available: readonly string[] | undefined): string {
  const { missing, parentPath, parentType } = absence;
  const known = parentPath === undefined ? missing : `${parentPath}.${missing}`;
  const whole = path === undefined || path === known ? "" : ` (in ${path})`;
  const there = available === undefined ? "" : listed(available);
  if (parentPath === undefined) return `'${missing}' is not defined${whole}.${there && ` Defined here: ${there}.`}`;
  if (parentType === "mapping") {
    return `'${parentPath}' has no field '${missing}'${whole}.${there ? ` It has: ${there}.` : " It is empty."}`;
  }
  const article = parentType === "none" || parentType === "text" ? "" : "a ";
  return `'${parentPath}' is ${article}${parentType}, which has no '${missing}'${whole}.`;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN).join(", ");
  return names.length > SHOWN ? `${shown} and ${names.length - SHOWN} more` : shown;
}
