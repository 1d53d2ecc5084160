// `${NAME}` and `${NAME:-default}` in a text.

export interface Edit {
  /** What was replaced, in the text as written. */
  readonly start: number;
  readonly end: number;
  /** Where its replacement begins in the result, and how long it is. */
  readonly at: number;
  readonly length: number;
}

export interface Gap {
  readonly name: string;
  readonly offset: number;
  readonly reason: "unset" | "endless";
}

export interface Expansion {
  readonly text: string;
  readonly edits: readonly Edit[];
  /** Variables that could not be put in. */
  readonly gaps: readonly Gap[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A value may name other variables, up to this depth. */
const DEEPEST = 10;
/** Variables that name one another many times over would fill the memory. */
const MOST_REPLACEMENTS = 1000;

interface Reference {
  readonly start: number;
  readonly end: number;
  /** Empty for `$${`. */
  readonly name: string;
  readonly fallback?: string;
}

/**
 * How variables are read. `shell`: `$${` stands for a literal `${`, names are those of shells, and `:-` stands in for an
 * empty value too. `plain`, as in Conductor: there is no escape, a name may have any characters but braces and colons, and
 * `:-` stands in for what is not set.
 */
export type VariableStyle = "shell" | "plain";

const HEADS: Readonly<Record<VariableStyle, RegExp>> = {
  shell: /\$\{([A-Za-z_][A-Za-z0-9_]*)(:-|\})/y,
  plain: /\$\{([^{}:]+)(:-|\})/y,
};

export interface ExpandOptions {
  /** A name that is not set and has no default stays as it is written. */
  readonly keepUnset?: boolean;
  readonly style?: VariableStyle;
}

/** Puts the environment into a text. */
export function expand(text: string, env: Environment, options: ExpandOptions = {}): Expansion {
  const budget = { left: MOST_REPLACEMENTS };
  return expandAt(text, env, options, 1, budget);
}

function expandAt(
  text: string,
  env: Environment,
  options: ExpandOptions,
  depth: number,
  budget: { left: number },
): Expansion {
  const { keepUnset = false, style = "shell" } = options;
  const edits: Edit[] = [];
  const gaps: Gap[] = [];
  let result = "";
  let from = 0;
  for (const { start, end, name, fallback } of referencesIn(text, style)) {
    let replacement: string;
    if (name === "") replacement = "${";
    else {
      const value = env[name];
      const isLacking = value === undefined || (value === "" && style === "shell");
      const chosen = fallback !== undefined && isLacking ? fallback : value;
      if (chosen === undefined && keepUnset) continue;
      // Conductor knows no escape; where it would refuse the file, `$${NAME}` is read as one.
      if (chosen === undefined && style === "plain" && text[start - 1] === "$") {
        result += text.slice(from, start - 1);
        edits.push({ start: start - 1, end, at: result.length, length: end - start });
        result += text.slice(start, end);
        from = end;
        continue;
      }
      if (chosen === undefined || depth > DEEPEST || budget.left-- <= 0) {
        gaps.push({ name, offset: start, reason: chosen === undefined ? "unset" : "endless" });
        continue;
      }
      const inner = expandAt(chosen, env, options, depth + 1, budget);
      gaps.push(...inner.gaps.map((gap) => ({ ...gap, offset: start })));
      replacement = inner.text;
    }
    result += text.slice(from, start);
    edits.push({ start, end, at: result.length, length: replacement.length });
    result += replacement;
    from = end;
  }
  return edits.length === 0 ? { text, edits, gaps } : { text: result + text.slice(from), edits, gaps };
}

function* referencesIn(text: string, style: VariableStyle): Iterable<Reference> {
  const head = HEADS[style];
  for (let at = text.indexOf("${"); at !== -1; at = text.indexOf("${", at)) {
    if (style === "shell" && text[at - 1] === "$") {
      yield { start: at - 1, end: at + 2, name: "" };
      at += 2;
      continue;
    }
    head.lastIndex = at;
    const [whole = "", name, after] = head.exec(text) ?? [];
    const close = after === ":-" ? closingBrace(text, at + whole.length) : undefined;
    if (!name || (after === ":-" && close === undefined)) {
      at += 2;
      continue;
    }
    const body = at + whole.length;
    const end = close === undefined ? body : close + 1;
    yield { start: at, end, name, ...(close === undefined ? {} : { fallback: text.slice(body, close) }) };
    at = end;
  }
}

/** A default may hold braces, as long as they come in pairs: `${SPEC:-{"a": 1}}`. */
function closingBrace(text: string, from: number): number | undefined {
  let open = 1;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "{") open++;
    else if (text[at] === "}" && --open === 0) return at;
  }
  return undefined;
}

/** The names of all variables that a value, as written, takes from the environment; sorted, each once. */
export function environmentNames(raw: unknown, style: VariableStyle = "shell"): string[] {
  const names = new Set<string>();
  const stack: unknown[] = [raw];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value === "string") {
      for (const { name, fallback } of referencesIn(value, style)) {
        if (name !== "") names.add(name);
        if (fallback) stack.push(fallback);
      }
    } else if (typeof value === "object" && value !== null) stack.push(...Object.values(value));
  }
  return [...names].sort();
}
