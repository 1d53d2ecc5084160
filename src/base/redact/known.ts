// Secrets whose value is known, and where they stand in a text.
import { REDACTED } from "./mark.ts";
import { inOriginal, joinBase64, lineOfBase64Before, type Spans } from "./see-through.ts";
import {
  decode,
  type Form,
  formsOf,
  hasSpreadable,
  isEscaped,
  isSpread,
  ofDecoded,
  openEscapeFrom,
} from "./spellings.ts";

/** Values that say nothing when they stand alone: a variable FLAG_KEY=1 must not hide every "1". */
const COMMONPLACE = new Set(["0", "1", "true", "false", "yes", "no", "on", "off", "null", "none"]);

const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

const isBase64 = (char: string | undefined): boolean => char !== undefined && /[A-Za-z0-9+/_-]/.test(char);

/** Whole numbers of fewer digits are too often something else: a count, an exit code, a port. */
const NUMBER = /^[1-9][0-9]{5,15}$/;
/** The same of a `secret` input, which its author calls one: a PIN, a code. */
const SHORT_NUMBER = /^-?[0-9][0-9.]{3,15}$/;

/** What is written where a text was cut: `…`, `... [truncated]`, `… (12 more lines)`. */
const CUT_AT_END = /\s*(?:…|\.\.\.)(?:\s*[[(][^\])\n]{0,60}[\])])?\s*$/;
const CUT_AT_START = /^\s*(?:[[(][^\])\n]{0,60}[\])]\s*)?(?:…|\.\.\.)\s*/;
const LEAST_CUT = 6;
/** From how many characters on a part of a secret is taken for one; all of it when it is short. */
const leastCut = (secret: string): number => Math.min(secret.length, Math.max(LEAST_CUT, Math.ceil(secret.length / 2)));

/** From how many characters on a secret is looked for inside other texts. */
export const LONG = 8;
/** The same of the values of `secret` inputs. */
export const SHORT = 4;

/** Secrets that stood somewhere, by how short they may be to be looked for. */
export interface SeenSecrets {
  readonly secrets: readonly string[];
  readonly shortSecrets: readonly string[];
}

const longestFirst = (a: string, b: string): number => b.length - a.length;

const NOWHERE: Pick<Spans, "add"> = { add: () => {} };

/** No tool wraps base64 earlier. */
const WRAPPED_AT = 60;

export class KnownSecrets {
  /** Too short to be looked for inside other texts. */
  readonly whole = new Set<string>();
  readonly numbers = new Set<number>();
  private readonly forms = new Map<string, Form>();
  /** Which secret a form is of. */
  private readonly origins = new Map<string, string>();
  /** Looked for from fewer characters on than others: they are kept as what they are. */
  private readonly short = new Set<string>();
  /** Whether JSON writes one of them otherwise than it is. */
  private hasEscaped = false;
  /** Whether quotes or white space in one of them may be written twice, or otherwise. */
  private hasSpreadable = false;
  private readonly seen = new Set<string>();
  private compiled: RegExp | null = null;
  /** Only the forms in base64, which lines may be broken in. */
  private compiledBase64: RegExp | null = null;
  private longestBase64 = 0;
  /** Secrets as they are in a decoded text, and which is which. */
  private readonly decoded = new Map<string, string>();
  private compiledDecoded: RegExp | null = null;

  /** `from`: from how many characters on the value is looked for inside other texts. Says whether it was new. */
  add(secret: string, from: number): boolean {
    // The mark itself must survive a second pass, even when a password is "redacted".
    if (secret === "" || COMMONPLACE.has(secret.toLowerCase()) || REDACTED.includes(secret)) return false;
    const mark = `${secret.length >= from}${secret}`;
    if (this.seen.has(mark)) return false;
    this.seen.add(mark);
    if (from < LONG) this.short.add(secret);
    this.hasSpreadable ||= hasSpreadable(secret);
    this.hasEscaped ||= JSON.stringify(secret).length !== secret.length + 2;
    if (secret.length < from) {
      this.whole.add(secret);
      return true;
    }
    if ((from < LONG ? SHORT_NUMBER : NUMBER).test(secret)) this.numbers.add(Number(secret));
    for (const form of formsOf(secret))
      if (form.text.length >= 4 && !this.forms.has(form.text)) {
        this.forms.set(form.text, form);
        this.origins.set(form.text, secret);
        if (form.isBase64) this.longestBase64 = Math.max(this.longestBase64, form.text.length);
      }
    const decoded = decode(secret).text.trim();
    if (decoded.length >= Math.min(from, LEAST_CUT)) this.decoded.set(decoded, secret);
    this.compiled = null;
    this.compiledBase64 = null;
    this.compiledDecoded = null;
    return true;
  }

  copy(): KnownSecrets {
    const copy = new KnownSecrets();
    for (const secret of this.whole) copy.whole.add(secret);
    for (const value of this.numbers) copy.numbers.add(value);
    for (const [text, form] of this.forms) copy.forms.set(text, form);
    for (const [text, secret] of this.origins) copy.origins.set(text, secret);
    for (const [text, secret] of this.decoded) copy.decoded.set(text, secret);
    for (const secret of this.short) copy.short.add(secret);
    copy.longestBase64 = this.longestBase64;
    copy.hasEscaped = this.hasEscaped;
    copy.hasSpreadable = this.hasSpreadable;
    for (const mark of this.seen) copy.seen.add(mark);
    return copy;
  }

  /** Whether a secret may stand in the text otherwise than it is. */
  mayBeEscaped(text: string): boolean {
    return isEscaped(text) || (this.hasSpreadable && isSpread(text));
  }

  get isEmpty(): boolean {
    return this.forms.size === 0;
  }

  /** Longest first: where one secret begins with another, the longer one is meant. */
  get source(): string {
    return this.sourceOf(() => true);
  }

  private sourceOf(isWanted: (form: Form) => boolean): string {
    return [...this.forms.values()]
      .filter(isWanted)
      .map(({ text }) => text)
      .sort(longestFirst)
      .map(quoted)
      .join("|");
  }

  /** What every text with a known secret in it has, also one that was cut through the middle of it. */
  get suspicion(): string {
    const halves = new Set<string>();
    for (const text of this.forms.keys()) {
      const length = leastCut(text);
      halves.add(text.slice(0, length)).add(text.slice(-length));
    }
    return [...halves].map(quoted).join("|");
  }

  /** Whether half a form may be missing in a text that holds a secret: long base64 may be broken in both halves. */
  mayBeWrapped(text: string): boolean {
    return this.longestBase64 > WRAPPED_AT && joinBase64(text) !== undefined;
  }

  get shortest(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const text of this.forms.keys()) least = Math.min(least, leastCut(text));
    return least;
  }

  /** All that are known. */
  get all(): SeenSecrets {
    return this.sorted(new Set([...this.whole, ...this.origins.values()]));
  }

  /** Which of them stand in a text that is JSON. */
  metIn(json: string): SeenSecrets {
    const met = new Set<string>();
    for (const secret of this.whole) if (json.includes(JSON.stringify(secret))) met.add(secret);
    this.find(json, NOWHERE, (secret) => void met.add(secret));
    this.findDecoded(json, NOWHERE, (secret) => void met.add(secret));
    return this.sorted(met);
  }

  /** Of those that a search for the forms does not find in JSON: whole values, numbers, and what JSON writes with a backslash. */
  mayBeInJson(json: string): boolean {
    if (this.whole.size > 0) for (const secret of this.whole) if (json.includes(JSON.stringify(secret))) return true;
    if (this.numbers.size > 0) for (const value of this.numbers) if (json.includes(String(value))) return true;
    return this.hasEscaped && json.includes("\\");
  }

  private sorted(met: ReadonlySet<string>): SeenSecrets {
    return {
      secrets: [...met].filter((secret) => !this.short.has(secret)),
      shortSecrets: [...met].filter((secret) => this.short.has(secret)),
    };
  }

  /** Where known secrets stand. `met` is called with each. */
  find(text: string, spans: Pick<Spans, "add">, met?: (secret: string) => void): void {
    if (this.isEmpty) return;
    this.cutOff(text, spans);
    this.compiled ??= new RegExp(this.source, "g");
    this.search(this.compiled, text, spans, met);
    const joined = joinBase64(text);
    if (!joined) return;
    const inBase64 = (form: Form): boolean => form.isBase64;
    this.compiledBase64 ??= new RegExp(this.sourceOf(inBase64), "g");
    this.search(this.compiledBase64, joined.text, inOriginal(joined, spans), met);
  }

  /** Where they stand in other writing than their own: escaped, quoted, with something unseen in between. */
  findDecoded(text: string, spans: Pick<Spans, "add">, met?: (secret: string) => void): void {
    if (this.decoded.size === 0) return;
    const view = decode(text);
    this.compiledDecoded ??= new RegExp([...this.decoded.keys()].sort(longestFirst).map(quoted).join("|"), "g");
    const inText = ofDecoded(view, spans);
    for (const hit of view.text.matchAll(this.compiledDecoded)) {
      met?.(this.decoded.get(hit[0])!);
      inText.add(hit.index, hit.index + hit[0].length);
    }
  }

  private search(search: RegExp, text: string, spans: Pick<Spans, "add">, met?: (secret: string) => void): void {
    search.lastIndex = 0;
    for (let hit = search.exec(text); hit; hit = search.exec(text)) {
      const form = this.forms.get(hit[0]);
      met?.(this.origins.get(hit[0])!);
      let start = hit.index;
      let end = start + hit[0].length;
      if (form?.before && isBase64(text[start - 1])) start--;
      if (form?.after && isBase64(text[end])) {
        end++;
        while (text[end] === "=") end++;
      }
      spans.add(start, end);
      // One further, not behind the hit: a second secret may begin inside the first.
      search.lastIndex = hit.index + 1;
    }
  }

  /** Half a secret at the edge of a cut text, or beside an ellipsis: from half of it and 6 characters on it is no chance. */
  private cutOff(text: string, spans: Pick<Spans, "add">): void {
    const end = CUT_AT_END.exec(text)?.index ?? text.length;
    const start = CUT_AT_START.exec(text)?.[0].length ?? 0;
    for (const form of this.forms.keys()) {
      const least = leastCut(form);
      const most = Math.min(form.length - 1, end - start);
      if (most < least) continue;
      for (let length = most; length >= least; length--) {
        if (!form.startsWith(text.slice(end - length, end))) continue;
        spans.add(end - length, end);
        break;
      }
      for (let length = most; length >= least; length--) {
        if (!form.endsWith(text.slice(start, start + length))) continue;
        spans.add(start, start + length);
        break;
      }
    }
  }

  /** Where the beginning of a secret stands at the end of the text, cut off; the text's length if there is none. */
  openFrom(text: string): number {
    const open = Math.min(
      this.openPlainly(text, ({ isBase64 }) => !isBase64),
      this.openDecoded(text),
    );
    const inBase64 = this.openInBase64(text);
    // With the line before it: that decides whether the next line continues it.
    return inBase64 === text.length ? open : Math.min(open, lineOfBase64Before(text, inBase64));
  }

  private openDecoded(text: string): number {
    if (this.decoded.size === 0) return text.length;
    const whole = openEscapeFrom(text);
    // An escape that is not whole yet may be the next character of a secret that stands open before it.
    if (whole === text.length && !this.mayBeEscaped(text)) return whole;
    const view = decode(text.slice(0, whole));
    let open = view.text.length;
    for (const secret of this.decoded.keys()) open = openOf(secret, view.text, open);
    return open === view.text.length ? whole : Math.min(whole, view.at(open));
  }

  private openInBase64(text: string): number {
    const open = this.openPlainly(text, ({ isBase64 }) => isBase64);
    const from = Math.max(0, text.length - 2 * this.longestBase64 - 2 * WRAPPED_AT);
    const joined = joinBase64(text.slice(from), true);
    if (!joined) return open;
    const place = this.openPlainly(joined.text, ({ isBase64 }) => isBase64);
    return place === joined.text.length ? open : Math.min(open, from + joined.at(place));
  }

  private openPlainly(text: string, isWanted: (form: Form) => boolean): number {
    let open = text.length;
    for (const [secret, form] of this.forms) if (isWanted(form)) open = openOf(secret, text, open);
    return open;
  }
}

/** Where the beginning of a secret stands at the end of a text, if that is before `open`. */
function openOf(secret: string, text: string, open: number): number {
  let at = text.indexOf(secret.charAt(0), Math.max(0, text.length - secret.length + 1));
  for (; at !== -1 && at < open; at = text.indexOf(secret.charAt(0), at + 1))
    if (secret.startsWith(text.slice(at))) return at;
  return open;
}
