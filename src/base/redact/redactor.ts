// The one exit: every value that leaves the process passes a redactor.
// Most texts hold no secret, so everything is built around finding that out with one search.
import { isOurField, isOurWord, isOwnField } from "./answer.ts";
import { isNaming, secretsByName } from "./by-name.ts";
import { mayNameSecret, secrecyOf } from "./keys.ts";
import { KnownSecrets, LONG, type SeenSecrets, SHORT } from "./known.ts";
import { REDACTED } from "./mark.ts";
import { findTokens, openTokenFrom, SHORTEST_TOKEN, TRIGGERS } from "./patterns.ts";
import { hasUnseen, inOriginal, Spans, seeThrough } from "./see-through.ts";
import { type RedactingStream, redactingStream } from "./stream.ts";
import { type KeyVerdict, redactValue, type WalkRules } from "./walk.ts";

export interface Redactor {
  text(text: string): string;
  /**
   * The value without secrets: itself when there was none, otherwise a copy of what changed. With `keys: "author"` names
   * of keys are not looked at: for the workflow's own `output` and for maps keyed by step or item name.
   *
   * @example redactor.value({ password: "x", note: "Bearer abc123def456" }) // { password: "<redacted>", note: "Bearer <redacted>" }
   */
  value(value: unknown, options?: { readonly keys?: "redact" | "author" }): unknown;
  /**
   * An answer of Segno as it may leave: data in it as `value` has it, words of Segno's own as they are, and what is marked as
   * `authored` by its author's rules. With `keys: "author"` all of it is.
   */
  answer<Answer>(answer: Answer, options?: { readonly keys?: "redact" | "author" }): Answer;
  /**
   * Makes a value known as a secret from here on: a token in a header that a step sent. One that is known only `by name`,
   * from a field of an output, stays in what is the author's own (`keys: "author"`); of a `secret input` also a short one
   * is looked for.
   */
  learn(secret: string, known?: HowKnown): void;
  /** Tells another redactor all that this one knows. */
  teach(other: Pick<Redactor, "learn">): void;
  /** Which secrets known for sure stand in JSON, to be kept with what was recorded; all of them without a text. */
  metIn(json?: string): SeenSecrets;
  /** Whether something in a text of JSON may have to be hidden, by its value or its name; false is sure. */
  mayHide(json: string): boolean;
  /**
   * For text that comes in chunks: a secret that is cut over two of them is caught. `isJoinedOnly`: nothing is hidden, but a
   * secret comes in one piece.
   */
  stream(how?: { readonly isJoinedOnly?: boolean }): RedactingStream;
}

export type HowKnown = "for sure" | "by name" | "secret input";

export interface SecretsToHide {
  /** Known values: redacted wherever they appear when they have 8 characters or more, otherwise as whole values. */
  readonly secrets: Iterable<string>;
  /** Values of `secret` inputs: redacted wherever they appear from 4 characters on. */
  readonly shortSecrets?: Iterable<string>;
  /** How many that are known only by their name are looked for. */
  readonly mostByName?: number;
}

/** A table of a thousand people with their passwords is data: every text would be searched for each of them. */
const MOST_BY_NAME = 100;
/** Keys repeat from event to event; the answer for each is kept, up to this many. */
const REMEMBERED_KEYS = 5_000;

export function createRedactor({ secrets, shortSecrets = [], mostByName = MOST_BY_NAME }: SecretsToHide): Redactor {
  const sure = new KnownSecrets();
  for (const secret of secrets) sure.add(secret, LONG);
  for (const secret of shortSecrets) sure.add(secret, SHORT);
  const everywhere = new Search(sure);
  /** Made when the first secret is learned by its name. */
  let named: Search | undefined;
  const byName = new Set<string>();

  const everything = (): Search => named ?? everywhere;
  const rulesOf = (search: () => Search, byName: boolean): WalkRules => {
    const verdicts = new Map<string, KeyVerdict>();
    let asked: Search | undefined;
    let learned = -1;
    return {
      text: (text) => search().text(text),
      number: (value) => search().number(value),
      mark: REDACTED,
      key(name) {
        const now = search();
        if (asked !== now || learned !== now.learned || verdicts.size >= REMEMBERED_KEYS) verdicts.clear();
        asked = now;
        learned = now.learned;
        let verdict = verdicts.get(name);
        if (!verdict) {
          verdict = { name: now.inside(name), secrecy: byName ? secrecyOf(name) : "none" };
          verdicts.set(name, verdict);
        }
        return verdict;
      },
    };
  };
  const rules = rulesOf(everything, true);
  const authorRules = rulesOf(() => everywhere, false);
  const answerRules = (data: WalkRules): WalkRules => {
    const ours: WalkRules = {
      ...data,
      number: (value) => value,
      key: (name) => (isOurField(name) ? { ...data.key(name), name } : data.key(name)),
    };
    const names: WalkRules = {
      ...authorRules,
      text: (text) => (isOurWord(text) ? text : authorRules.text(text)),
      number: ours.number,
    };
    return { ...ours, answers: { isOwnField, data, author: authorRules, names } };
  };
  const ofAnswers = answerRules(rules);
  // Names are their author's, values are hidden as everywhere.
  const ofNamedAnswers = answerRules(rulesOf(everything, false));

  const learn: Redactor["learn"] = (secret, how = "for sure") => {
    const from = how === "secret input" ? SHORT : LONG;
    if (how !== "by name") everywhere.learn(secret, from);
    else {
      if (byName.size >= mostByName || byName.has(secret)) return;
      byName.add(secret);
      named ??= new Search(sure.copy());
    }
    named?.learn(secret, from);
  };

  return {
    text: (text) => everything().text(text),
    value: (value, options) => redactValue(value, options?.keys === "author" ? authorRules : rules),
    answer: (answer, options) =>
      redactValue(answer, options?.keys === "author" ? ofNamedAnswers : ofAnswers) as typeof answer,
    learn,
    teach(other) {
      const { secrets, shortSecrets } = sure.all;
      for (const secret of secrets) other.learn(secret);
      for (const secret of shortSecrets) other.learn(secret, "secret input");
      for (const secret of byName) other.learn(secret, "by name");
    },
    metIn: (json) => everywhere.metIn(json),
    mayHide: (json) => everything().mayHold(json) || mayNameSecret(json),
    stream: ({ isJoinedOnly = false } = {}) =>
      redactingStream({
        show: isJoinedOnly ? (text) => text : (text) => everything().inside(text),
        spans: (text) => everything().spans(text),
        openFrom: (tail) => everything().openFrom(tail),
        mayName: isNaming,
        learn: (line) => {
          for (const secret of secretsByName(line)) learn(secret, "by name");
        },
      }),
  };
}

const NONE: SeenSecrets = { secrets: [], shortSecrets: [] };

/** Looks for known secrets, and for tokens by their looks, in texts. */
class Search {
  /** How many secrets were learned: what is remembered about names is then out of date. */
  learned = 0;
  #suspicious: RegExp | undefined;
  #shortest = 0;

  constructor(private readonly known: KnownSecrets) {}

  learn(secret: string, from: number): void {
    if (!this.known.add(secret, from)) return;
    this.learned += 1;
    this.#suspicious = undefined;
  }

  /** Made when something is looked for: several secrets are often learned in a row. */
  #prepared(): RegExp {
    const { isEmpty, suspicion, shortest } = this.known;
    this.#shortest = Math.min(shortest, SHORTEST_TOKEN);
    this.#suspicious = new RegExp(isEmpty ? TRIGGERS : `${suspicion}|${TRIGGERS}`);
    return this.#suspicious;
  }

  /** Whether something stands in the text that would keep a secret from being seen. */
  #isBroken(text: string): boolean {
    return hasUnseen(text) || (!this.known.isEmpty && this.known.mayBeEscaped(text)) || this.known.mayBeWrapped(text);
  }

  metIn(json: string | undefined): SeenSecrets {
    if (json === undefined) return this.known.all;
    const suspicious = this.#suspicious ?? this.#prepared();
    return this.known.whole.size > 0 || suspicious.test(json) || this.#isBroken(json) ? this.known.metIn(json) : NONE;
  }

  /** Of a text of JSON; false is sure. */
  mayHold(json: string): boolean {
    const suspicious = this.#suspicious ?? this.#prepared();
    return suspicious.test(json) || this.#isBroken(json) || this.known.mayBeInJson(json);
  }

  spans(text: string): Spans {
    const found = new Spans();
    this.known.find(text, found);
    findTokens(text, found);
    if (this.known.mayBeEscaped(text)) this.known.findDecoded(text, found);
    if (hasUnseen(text)) {
      const seen = seeThrough(text);
      this.known.find(seen.text, inOriginal(seen, found));
      findTokens(seen.text, inOriginal(seen, found));
    }
    return found;
  }

  openFrom(tail: string): number {
    const open = Math.min(this.known.openFrom(tail), openTokenFrom(tail));
    if (!hasUnseen(tail)) return open;
    const seen = seeThrough(tail, true);
    const place = Math.min(this.known.openFrom(seen.text), openTokenFrom(seen.text));
    return place === seen.text.length ? open : Math.min(open, seen.at(place));
  }

  number(value: number): unknown {
    const { numbers } = this.known;
    return numbers.size > 0 && numbers.has(value) ? REDACTED : value;
  }

  text(value: string): string {
    const { whole } = this.known;
    return whole.size > 0 && value.length < LONG && whole.has(value) ? REDACTED : this.inside(value);
  }

  inside(text: string): string {
    const suspicious = this.#suspicious ?? this.#prepared();
    if (text.length < this.#shortest || !(suspicious.test(text) || this.#isBroken(text))) return text;
    const found = this.spans(text);
    if (found.isEmpty) return text;
    let shown = "";
    let from = 0;
    for (const [start, end] of found) {
      shown += text.slice(from, start) + REDACTED;
      from = end;
    }
    return shown + text.slice(from);
  }
}

// A line of a file as it may be shown. What it says in clear its author sees; what is quoted of it may stand in a log.

/** Without the passwords and tokens in addresses and in JSON, and without what looks like a token. */
export const redactSourceLine = (line: string): string => createRedactor({ secrets: secretsByName(line) }).text(line);

const text = (given: string): string => (given === "" ? given : REDACTED);

const RULES: WalkRules = { text, number: (value) => value, key: (name) => ({ name, secrecy: "none" }), mark: REDACTED };

export const WITHHOLDING: Redactor = {
  text,
  value: (value) => redactValue(value, RULES),
  answer: (answer) =>
    redactValue(answer, {
      ...RULES,
      answers: { isOwnField, data: RULES, author: RULES, names: RULES },
    }) as typeof answer,
  learn: () => {},
  teach: () => {},
  metIn: () => ({ secrets: [], shortSecrets: [] }),
  mayHide: () => true,
  stream: () => ({ push: text, end: () => "" }),
};
