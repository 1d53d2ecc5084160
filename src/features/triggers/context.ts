// What a trigger's templates see, and what they come to. Whatever a sender wrote is a value in it and nothing else: no
// text from outside is ever compiled.
import { matches } from "../../base/errors/index.ts";
import { PUT_IN_QUOTES } from "../../base/json/bounded.ts";
import { compile, compileCondition, TemplateError } from "../../template/index.ts";
import type { Trigger, TriggerSource } from "./schema.ts";

/** `{{ trigger.… }}`. */
export interface TriggerContext {
  readonly name: string;
  readonly fired_at: string;
  /** Of a schedule: the moment that it was fired for. */
  readonly scheduled_at?: string;
  /** Of a webhook. */
  readonly body?: unknown;
  /** The body with a text in place of each number that does not print as it is written. Templates do not see it. */
  readonly writtenBody?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Of `on_run`: the run that ended. */
  readonly run?: EndedRun;
}

export interface EndedRun {
  readonly run_id: string;
  readonly workflow: string;
  readonly status: string;
  readonly kind: string | null;
  readonly ended_at: string;
}

/** What every trigger gives its templates, and what only one that is set off in a certain way does. */
export const COMMON_FIELDS = ["name", "fired_at"] as const satisfies readonly (keyof TriggerContext)[];
export const FIELDS_BY_SOURCE = {
  schedule: ["scheduled_at"],
  webhook: ["body", "headers"],
  on_run: ["run"],
} as const satisfies Record<TriggerSource, readonly Exclude<keyof TriggerContext, (typeof COMMON_FIELDS)[number]>[]>;
export const RUN_FIELDS = Object.keys({ run_id: 1, workflow: 1, status: 1, kind: 1, ended_at: 1 } satisfies Record<
  keyof EndedRun,
  1
>);

/** Chains of runs that start each other end here. */
export const LONGEST_CHAIN = 8;

const withoutSecrets = ({
  authorization: _,
  "x-segno-token": _token,
  ...headers
}: NonNullable<TriggerContext["headers"]>) => headers;

const namesOf = ({ writtenBody: _, ...context }: TriggerContext) => ({
  trigger: { ...context, ...(context.headers ? { headers: withoutSecrets(context.headers) } : {}) },
});

/** What the template comes to with numbers as they are written; nothing where it needs them as numbers. */
function asWritten<Value>(context: TriggerContext, read: (names: ReturnType<typeof namesOf>) => Value) {
  if (context.writtenBody === undefined) return undefined;
  try {
    return { value: read(namesOf({ ...context, body: context.writtenBody })) };
  } catch (problem) {
    if (problem instanceof TemplateError) return undefined;
    throw problem;
  }
}

const NUMBER_IN_TEXT = "it puts a number into a text, and the number does not print as it is written.";

type FieldPath = readonly (string | number)[];

/** A template of a trigger that what set it off gives nothing to: it names a field that was not sent, perhaps. */
export class UnreadableTrigger extends Error {
  override readonly name = "UnreadableTrigger";
  /** Where the template stands in the trigger. */
  readonly path: FieldPath;
  /** What to do about it; the sender gets it, too. */
  readonly hint: string | undefined;

  constructor(path: FieldPath, message: string, { hint }: { readonly hint?: string } = {}) {
    super(message);
    this.path = path;
    this.hint = hint;
  }

  /** `inputs.list[0]`. */
  get field(): string {
    return this.path.reduce<string>(
      (field, part) => (typeof part === "number" ? `${field}[${part}]` : field === "" ? part : `${field}.${part}`),
      "",
    );
  }
}

function readingField<Value>(path: FieldPath, read: () => Value): Value {
  try {
    return read();
  } catch (problem) {
    if (!(problem instanceof TemplateError)) throw problem;
    throw new UnreadableTrigger(path, problem.message);
  }
}

export const isWanted = ({ when }: Pick<Trigger, "when">, context: TriggerContext): boolean =>
  when === undefined || readingField(["when"], () => compileCondition(when).test(namesOf(context)));

/** What tells a firing from others, by the trigger's own `dedupe`: nothing when it comes to null or to no text. */
export function ownMark({ dedupe }: Pick<Trigger, "dedupe">, context: TriggerContext): string | undefined {
  if (dedupe === undefined) return undefined;
  return readingField(["dedupe"], () => {
    const template = compile(dedupe);
    const names = namesOf(context);
    // As text, null would be `None`: one mark for all that have none.
    if (template.single !== undefined && template.value(names) === null) return undefined;
    const written = asWritten(context, (numbersAsTexts) => template.render(numbersAsTexts));
    return (written?.value ?? template.render(names)).trim() || undefined;
  });
}

export const renderedText = (path: FieldPath, template: string, context: TriggerContext): string =>
  readingField(path, () => {
    const compiled = compile(template);
    const written = asWritten(context, (numbersAsTexts) => compiled.render(numbersAsTexts));
    return written?.value ?? compiled.render(namesOf(context));
  });

/** Templates of the trigger in values of any shape. What they come to is not looked at again. */
export function inputsOf({ inputs }: Pick<Trigger, "inputs">, context: TriggerContext): Record<string, unknown> {
  const names = namesOf(context);
  const rendered = (path: FieldPath, value: unknown): unknown => {
    if (typeof value === "string")
      return readingField(path, () => {
        const template = compile(value);
        if (!template.hasExpressions) return value;
        const result = template.value(names);
        const written = asWritten(context, (numbersAsTexts) => template.value(numbersAsTexts));
        if (typeof result === "string" && written && written.value !== result)
          throw new UnreadableTrigger(path, NUMBER_IN_TEXT, { hint: PUT_IN_QUOTES });
        return result;
      });
    if (Array.isArray(value)) return value.map((one, index) => rendered([...path, index], one));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, rendered([...path, key], one)]));
    return value;
  };
  return rendered(["inputs"], inputs) as Record<string, unknown>;
}

/** Inputs that are numbers or booleans in the file, or come from a number that does not print as it is written. */
export function changedAsText({ inputs }: Pick<Trigger, "inputs">, context: TriggerContext): ReadonlySet<string> {
  const isChanged = (value: unknown): boolean => {
    if (typeof value !== "string") return isLiteral(value);
    const template = compile(value);
    const written = asWritten(context, (numbersAsTexts) => template.value(numbersAsTexts));
    return written !== undefined && template.hasExpressions && template.value(namesOf(context)) !== written.value;
  };
  return new Set(Object.keys(inputs).filter((name) => isChanged(inputs[name])));
}

export const isLiteral = (value: unknown): boolean => typeof value === "number" || typeof value === "boolean";

export function followsRun({ on_run }: Pick<Trigger, "on_run">, run: EndedRun): boolean {
  if (!on_run || on_run.workflow !== run.workflow) return false;
  if (on_run.status && !on_run.status.includes(run.status)) return false;
  return on_run.kind === undefined || (run.kind !== null && on_run.kind.some((kind) => matches(kind, run.kind ?? "")));
}
