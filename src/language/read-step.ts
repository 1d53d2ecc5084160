// One step: its type decides its fields.

import { isMapping, type Mapping } from "../base/errors/mapping.ts";
import { didYouMean, listedNames, nearest } from "../base/errors/nearest.ts";
import { withArticle } from "../base/errors/who-handles.ts";
import type { StepType } from "../steps/step-type.ts";
import type { StepTypes } from "../steps/types.ts";
import { check } from "./check.ts";
import { reportForeignStep } from "./foreign-step.ts";
import { found, type NodePath } from "./loaded.ts";
import type { Page, Subject } from "./page.ts";
import { STEP_TYPES, type Step } from "./schema/index.ts";
import { NO_STEP_TYPE, stepsKeyOf, takesAnyField } from "./schema/names.ts";
import { withTimeout } from "./schema/section-defaults.ts";
import { typesWith } from "./unknown-key.ts";

/** The step at a path, broken fields stood in for; undefined when it has no name to be known by. */
export function readStep(value: unknown, path: NodePath, page: Page, types: StepTypes = STEP_TYPES): Step | undefined {
  if (!isMapping(value)) {
    page.report(
      "wrong-type",
      path,
      `A step must be a mapping with a \`name\`, but it is ${found(value)}. For example: \`{name: build, type: script, command: make}\`.`,
    );
    return undefined;
  }
  const node = typeof value.name === "string" ? value.name : undefined;
  const isForeign = reportForeignStep(value, path, page, (key) => ownsField(value.type, key, types), node);
  // What its other fields say in that tool is not known here.
  const type = isForeign ? UNKNOWN_TYPE : stepType(value, path, page, types, node);
  const subject: Subject = {
    node,
    name: node === undefined ? "the step" : `step \`${node}\``,
    kind: withArticle(`${type.name} step`),
    path,
    isStep: true,
  };
  const rest =
    type.fields === undefined
      ? value
      : Object.fromEntries(Object.entries(value).filter(([key]) => type.fields?.includes(key)));
  const step = check(type.entry.schema(), { ...rest, type: type.name }, page, subject) as Step | undefined;
  if (!step || step.name === "") return undefined;
  return step.type === "agent" ? withTimeout(step) : step;
}

interface Chosen {
  readonly name: string;
  readonly entry: StepType;
  /** The fields to look at, when the type is unknown and the others could be anything. */
  readonly fields?: readonly string[];
}

/** What is true of every step, whatever its type. */
const COMMON: readonly string[] = ["name", "description", "routes", "raises", "raise_when", "phase"];

/** Nothing is known of its fields then; as an agent it may raise anything, so its error routes are not accused. */
const UNKNOWN_TYPE: Chosen = { name: "agent", entry: STEP_TYPES.agent, fields: COMMON };

const ownsField = (type: unknown, key: string, types: StepTypes): boolean =>
  typeof type === "string" &&
  Object.hasOwn(types, type) &&
  (takesAnyField(types[type]?.fields ?? {}) || Object.hasOwn(types[type]?.schema().shape ?? {}, key));

function stepType(value: Mapping, path: NodePath, page: Page, types: StepTypes, node: string | undefined): Chosen {
  const chosen = (name: string): Chosen => ({ name, entry: types[name] ?? STEP_TYPES.agent });
  const { type } = value;
  if (type === undefined || type === null) return chosen(forgottenType(value, path, page, node) ?? "agent");
  if (typeof type === "string" && Object.hasOwn(types, type)) return chosen(type);
  const known = Object.keys(types);
  const suggestions = typeof type === "string" ? meantType(type, known) : [];
  const isGroup = typeof type === "string" && GROUPS.has(type);
  const list = isGroup
    ? ` A group is no step: it stands in the file's own list \`${type}:\`, beside \`${stepsKeyOf(page.value)}:\`.`
    : suggestions.length > 0
      ? didYouMean(suggestions)
      : ` The types are ${listedNames(known, "and")}.`;
  page.report(
    "wrong-type",
    [...path, "type"],
    `${NO_STEP_TYPE} ${typeof type === "string" ? `\`${type}\`` : `like ${found(type)}`}.${list}`,
    { suggestions, node },
  );
  const [meant] = suggestions;
  return meant ? chosen(meant) : UNKNOWN_TYPE;
}

const GROUPS: ReadonlySet<string> = new Set(["for_each", "parallel"]);

/** A type by the name that other tools have for it, or one whose name is nearly this. */
function meantType(type: string, known: readonly string[]): string[] {
  const elsewhere = Object.entries<StepType>(STEP_TYPES).find(([, { alsoCalled }]) => alsoCalled?.includes(type));
  return elsewhere && known.includes(elsewhere[0]) ? [elsewhere[0]] : nearest(type, known);
}

/** A step without `type` is an agent; one that has a script's fields was meant to be a script. */
function forgottenType(value: Mapping, path: NodePath, page: Page, node: string | undefined): string | undefined {
  const own = STEP_TYPES.agent.schema().shape;
  if (Object.keys(value).every((key) => Object.hasOwn(own, key))) return undefined;
  // A prompt makes it an agent where fields of other types are read over.
  const { readsOverForeignKeys } = page.semantics;
  if (readsOverForeignKeys && typeof value.prompt === "string" && value.prompt !== "") return undefined;
  const foreign = Object.keys(value).filter((key) => {
    if (readsOverForeignKeys && (value[key] === null || value[key] === undefined)) return false;
    const owners = typesWith(key);
    return owners.length > 0 && !owners.includes("agent");
  });
  const [first] = foreign;
  if (first === undefined) return undefined;
  const candidates = typesWith(first).filter((type) => foreign.every((key) => typesWith(key).includes(type)));
  const [only] = candidates;
  if (candidates.length !== 1 || only === undefined) return undefined;
  const fields =
    foreign.length === 1
      ? `field ${listedNames(foreign, "and")} belongs`
      : `fields ${listedNames(foreign, "and")} belong`;
  page.report(
    "unknown-key",
    [...path, first],
    `${node === undefined ? "This step" : `Step \`${node}\``} has no \`type\`, so it is an agent, but its ${fields} to steps of type \`${only}\`. Add \`type: ${only}\`.`,
    { at: "key", suggestions: [`type: ${only}`], node },
  );
  return only;
}
