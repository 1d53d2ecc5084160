// Secrets whose value is known, and where they stand in a text.
import { type Form, formsOf } from "./forms.ts";

/** From where to where, end exclusive. */
export type SecretSpan = readonly [start: number, end: number];

/** Values that say nothing when they stand alone: a variable FLAG_KEY=1 must not hide every "1". */
const COMMONPLACE = new Set(["0", "1", "true", "false", "yes", "no", "on", "off", "null", "none"]);

/** The mark itself must survive a second pass, even when somebody's password is "redacted". */
const PART_OF_THE_MARK = "<redacted>";

const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

const isBase64 = (char: string | undefined): boolean => char !== undefined && /[A-Za-z0-9+/_-]/.test(char);

/** Whole numbers of fewer digits are too often something else: a count, an exit code, a port. */
const NUMBER = /^[1-9][0-9]{5,15}$/;

export class KnownSecrets {
  /** Too short to be looked for inside other texts. */
  readonly whole = new Set<string>();
  readonly numbers = new Set<number>();
  private readonly forms = new Map<string, Form>();
  private readonly seen = new Set<string>();
  private compiled: RegExp | null = null;

  /** `from`: from how many characters on the value is looked for inside other texts. Says whether it was new. */
  add(secret: string, from: number): boolean {
    if (secret === "" || COMMONPLACE.has(secret.toLowerCase()) || PART_OF_THE_MARK.includes(secret)) return false;
    const mark = `${secret.length >= from}${secret}`;
    if (this.seen.has(mark)) return false;
    this.seen.add(mark);
    if (secret.length < from) {
      this.whole.add(secret);
      return true;
    }
    if (NUMBER.test(secret)) this.numbers.add(Number(secret));
    for (const form of formsOf(secret))
      if (form.text.length >= 4 && !this.forms.has(form.text)) this.forms.set(form.text, form);
    this.compiled = null;
    return true;
  }

  get isEmpty(): boolean {
    return this.forms.size === 0;
  }

  /** Longest first: where one secret begins with another, the longer one is meant. */
  get source(): string {
    return [...this.forms.keys()]
      .sort((a, b) => b.length - a.length)
      .map(quoted)
      .join("|");
  }

  get shortest(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const text of this.forms.keys()) if (text.length < least) least = text.length;
    return least;
  }

  /** Where known secrets stand, in order of their starts; spans may overlap. */
  find(text: string, spans: SecretSpan[]): void {
    if (this.isEmpty) return;
    this.compiled ??= new RegExp(this.source, "g");
    const search = this.compiled;
    search.lastIndex = 0;
    for (let hit = search.exec(text); hit; hit = search.exec(text)) {
      const form = this.forms.get(hit[0]);
      let start = hit.index;
      let end = start + hit[0].length;
      if (form?.before && isBase64(text[start - 1])) start--;
      if (form?.after && isBase64(text[end])) {
        end++;
        while (text[end] === "=") end++;
      }
      spans.push([start, end]);
      // One further, not behind the hit: a second secret may begin inside the first.
      search.lastIndex = hit.index + 1;
    }
  }

  /** Where the beginning of a secret stands at the end of the text, cut off; the text's length if there is none. */
  openFrom(text: string): number {
    let open = text.length;
    for (const secret of this.forms.keys()) {
      const earliest = Math.max(0, text.length - secret.length + 1);
      let at = text.indexOf(secret.charAt(0), earliest);
      while (at !== -1 && at < open) {
        if (secret.startsWith(text.slice(at))) open = at;
        at = text.indexOf(secret.charAt(0), at + 1);
      }
    }
    return open;
  }
}
