// Patterns in Python's dialect, for RE2, which matches in linear time, and for V8, which can say more.
import { ASCII_CLASSES, CLASSES, NEGATED, POSIX } from "./classes.ts";

interface Flags {
  /** Ignores case. */
  readonly i: boolean;
  /** `^` and `$` are the ends of lines. */
  readonly m: boolean;
  /** A dot is any character. */
  readonly s: boolean;
  /** Blanks and comments mean nothing. */
  readonly x: boolean;
  /** `\w`, `\d` and `\s` are ASCII. */
  readonly a: boolean;
}

export interface Translation {
  /** For RE2: one for texts of ASCII alone, one for all. Absent where RE2 cannot say it. */
  readonly linear: { readonly ascii?: string; readonly any?: string };
  /** For V8. Absent where V8 cannot say it. */
  readonly backtracking?: RegExp;
  /** Why neither can. */
  readonly problem?: string;
}

/** The same pattern, written for each of the engines. */
interface Written {
  readonly ascii: string;
  readonly any: string;
  readonly v8: string;
}

class Untranslatable extends Error {}

const CONTROLS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, a: 7 };
const GROUPS =
  /\((?:\?(?:P?<([A-Za-z_]\w*)>|P=([A-Za-z_]\w*)\)|(#)[^)]*\)|(:|<?[=!])|([a-zA-Z]*)(?:-([a-z]+))?([:)])))?/y;
const REPEAT = /\{(\d*)(,?)(\d*)\}/y;

export function translate(source: string): Translation {
  try {
    return new Translator(source).run();
  } catch (error) {
    if (error instanceof Untranslatable) return { linear: {}, problem: error.message };
    throw error;
  }
}

class Translator {
  readonly #written = { ascii: "", any: "", v8: "" };
  readonly #outer: Flags[] = [];
  #flags: Flags = { i: false, m: false, s: false, x: false, a: false };
  #at = 0;
  #ignoresCase = false;
  /** Whether RE2 can say it, of all texts. */
  #isLinear = true;
  #isLinearForAny = true;
  #problemOfV8: string | undefined;

  constructor(private readonly source: string) {}

  run(): Translation {
    while (this.#at < this.source.length) this.#next();
    if (this.#outer.length > 0) throw new Untranslatable("a bracket ( is not closed");
    const { ascii, any, v8 } = this.#written;
    const linear = !this.#isLinear ? {} : this.#isLinearForAny ? { ascii, any } : { ascii };
    const backtracking = this.#problemOfV8 === undefined ? this.#compiled(v8) : undefined;
    if (backtracking || linear.any !== undefined) return { linear, ...(backtracking ? { backtracking } : {}) };
    return { linear: {}, problem: this.#problemOfV8 ?? "it is no regular expression" };
  }

  #compiled(source: string): RegExp | undefined {
    try {
      return new RegExp(source, this.#ignoresCase ? "iv" : "v");
    } catch (error) {
      this.#problemOfV8 = (error as Error).message.replace(/^Invalid regular expression: .*: /s, "");
      return undefined;
    }
  }

  #emit(re2: string, v8 = re2, any = re2): void {
    this.#written.ascii += re2;
    this.#written.any += any;
    this.#written.v8 += v8;
  }

  #literal(code: number): void {
    const { re2, v8 } = literal(code);
    this.#emit(re2, v8);
  }

  #next(): void {
    const char = this.source[this.#at] ?? "";
    if (this.#flags.x && /\s/.test(char)) this.#at++;
    else if (this.#flags.x && char === "#") this.#at = endOfLine(this.source, this.#at);
    else if (char === "\\") this.#escape();
    else if (char === "[") this.#class();
    else if (char === "(") this.#group();
    else if (char === ")") this.#close();
    else if (char === "{" && this.#match(REPEAT)) this.#repeat();
    else if ("*+?".includes(char)) this.#quantifier(char);
    else this.#single(char);
  }

  #single(char: string): void {
    this.#at++;
    switch (char) {
      case "|":
        this.#emit("|");
        return;
      case ".":
        if (this.#flags.s) this.#emit("(?s:.)", "[\\s\\S]");
        else this.#emit("[^\\n]");
        return;
      case "^":
        if (this.#flags.m) this.#emit("(?m:^)", "(?<![^\\n])");
        else this.#emit("\\A", "(?<![\\s\\S])");
        return;
      case "$":
        if (this.#flags.m) this.#emit("(?m:$)", "(?![^\\n])");
        else this.#end();
        return;
      default: {
        const code = this.source.codePointAt(this.#at - 1) ?? 0;
        if (code > 0xffff) this.#at++;
        this.#literal(code);
        return;
      }
    }
  }

  /** The end of the text, or before its last line break. RE2 cannot look ahead: it takes the line break, so nothing may follow. */
  #end(): void {
    const rest = this.source.slice(this.#at).replace(/\)/g, "");
    if (rest !== "" && !rest.startsWith("|")) this.#isLinear = false;
    this.#emit("(?:\\n?\\z)", "(?=\\n?(?![\\s\\S]))");
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.source) ?? undefined;
  }

  #repeat(): void {
    const [whole = "", from = "", comma = "", to = ""] = this.#match(REPEAT) ?? [];
    if (from === "" && to === "") {
      this.#at++;
      this.#literal(123);
      return;
    }
    this.#quantifier(whole, `{${from || 0}${comma}${to}}`);
  }

  #quantifier(whole: string, written = whole): void {
    this.#at += whole.length;
    const after = this.source[this.#at];
    if (after === "+") throw new Untranslatable("possessive quantifiers are not there");
    if (after === "?") this.#at++;
    this.#emit(after === "?" ? `${written}?` : written);
  }

  #escape(): void {
    const { source } = this;
    const letter = source[this.#at + 1] ?? "";
    const code = this.#character();
    if (code !== undefined) {
      this.#literal(code);
      return;
    }
    this.#at += 2;
    const named = /^[pP]$/.test(letter) ? /\{[^}]+\}|[A-Z]/y : undefined;
    if (named) {
      this.#property(letter, named);
      return;
    }
    if (/^[1-9]$/.test(letter)) {
      this.#reference(letter);
      return;
    }
    const boundary = `(?:(?<=W)(?!W)|(?<!W)(?=W))`.replaceAll("W", `[${this.#inside("w").v8}]`);
    switch (letter) {
      case "A":
        this.#emit("\\A", "(?<![\\s\\S])");
        return;
      case "Z":
      case "z":
        this.#emit("\\z", "(?![\\s\\S])");
        return;
      case "b":
      case "B":
        if (!this.#flags.a) this.#isLinearForAny = false;
        this.#emit(`\\${letter}`, letter === "b" ? boundary : `(?!${boundary})`);
        return;
      default:
        this.#shorthand(letter);
        return;
    }
  }

  #shorthand(letter: string): void {
    if (!/^[wdsWDS]$/.test(letter)) throw new Untranslatable(`\\${letter} is no escape`);
    const { ascii, any, v8 } = this.#inside(letter.toLowerCase() as "w" | "d" | "s");
    const open = letter === letter.toLowerCase() ? "[" : "[^";
    this.#emit(`${open}${ascii}]`, `${open}${v8}]`, `${open}${any}]`);
  }

  #inside(name: "w" | "d" | "s"): Written {
    const ascii = ASCII_CLASSES[name];
    return this.#flags.a ? { ascii, any: ascii, v8: ascii } : { ascii, any: CLASSES.re2[name], v8: CLASSES.v8[name] };
  }

  #property(letter: string, pattern: RegExp): void {
    const name = this.#match(pattern)?.[0];
    if (name === undefined) throw new Untranslatable(`\\${letter} needs a name in braces`);
    this.#at += name.length;
    this.#emit(`\\${letter}${name}`, `\\${letter}${name.startsWith("{") ? name : `{${name}}`}`);
  }

  #reference(first: string): void {
    const more = /\d/.exec(this.source[this.#at] ?? "")?.[0] ?? "";
    this.#at += more.length;
    this.#isLinear = false;
    this.#emit("", `(?:\\${first}${more})`);
  }

  /** The code of a character that is escaped here, and steps over it; undefined if the escape means something else. */
  #character(): number | undefined {
    const [whole, x, u, octal, other] =
      this.#match(
        /\\(?:x([0-9a-fA-F]{2})|(?:u([0-9a-fA-F]{4})|U[0-9a-fA-F]{8})|(0[0-7]{0,2}|[1-3][0-7]{2})|([^0-9A-Za-z]|[nrtfva]))/uy,
      ) ?? [];
    if (whole === undefined) return undefined;
    this.#at += whole.length;
    if (x ?? u) return Number.parseInt(x ?? u ?? "", 16);
    if (octal) return Number.parseInt(octal, 8);
    if (other === undefined) return Number.parseInt(whole.slice(2), 16);
    return CONTROLS[other] ?? other.codePointAt(0);
  }

  #group(): void {
    const match = this.#match(GROUPS);
    const [whole = "(", name, same, comment, plain, on, off, end] = match ?? [];
    if (whole === "(" && this.source[this.#at + 1] === "?")
      throw new Untranslatable(`${this.source.slice(this.#at, this.#at + 4)}… is not there`);
    this.#at += whole.length;
    if (comment) return;
    if (same !== undefined) {
      this.#isLinear = false;
      this.#emit("", `\\k<${same}>`);
      return;
    }
    if (on !== undefined) {
      this.#flagsOf(on, off ?? "", end === ")");
      return;
    }
    this.#outer.push(this.#flags);
    if (name !== undefined) {
      this.#emit(`(?P<${name}>`, `(?<${name}>`);
      return;
    }
    if (plain !== undefined && plain !== ":") this.#isLinear = false;
    this.#emit(whole);
    return;
  }

  #flagsOf(on: string, off: string, fromHere: boolean): void {
    const unknown = /[^aimsuxL]/.exec(on + off)?.[0];
    if (unknown) throw new Untranslatable(`there is no flag ${unknown}`);
    const before = this.#flags;
    const isFirst = this.#written.v8 === "" && fromHere;
    if (!fromHere) this.#outer.push(before);
    const now = { ...before };
    for (const flag of ["a", "i", "m", "s", "x"] as const)
      now[flag] = (before[flag] || on.includes(flag)) && !off.includes(flag);
    this.#flags = now;
    const change = now.i === before.i ? "" : now.i ? "i" : "-i";
    if (change !== "" && isFirst) this.#ignoresCase = true;
    else if (change !== "")
      this.#problemOfV8 = "flags for a part of a pattern are not there together with what RE2 cannot say";
    if (!fromHere) this.#emit(`(?${change}:`, "(?:");
    else if (change !== "") this.#emit(`(?${change})`, "");
  }

  #close(): void {
    const flags = this.#outer.pop();
    if (!flags) throw new Untranslatable("a bracket ) was not opened");
    this.#flags = flags;
    this.#at++;
    this.#emit(")");
  }

  #class(): void {
    const isNegated = this.source[this.#at + 1] === "^";
    this.#at += isNegated ? 2 : 1;
    this.#emit(isNegated ? "[^" : "[");
    for (let isFirst = true; isFirst || this.source[this.#at] !== "]"; isFirst = false) {
      if (this.#at >= this.source.length) throw new Untranslatable("a bracket [ is not closed");
      this.#member();
    }
    this.#at++;
    this.#emit("]");
  }

  #member(): void {
    const posix = this.#match(/\[:(\w+):\]/y);
    if (posix) {
      const named = POSIX[posix[1] ?? ""];
      if (named === undefined) throw new Untranslatable(`there is no class ${posix[0]}`);
      this.#at += posix[0].length;
      this.#emit(named);
      return;
    }
    const shorthand = this.#match(/\\([wdsWDS])/y)?.[1];
    if (shorthand) {
      this.#shorthandInside(shorthand);
      return;
    }
    const property = this.#match(/\\([pP])/y)?.[1];
    if (property) {
      this.#at += 2;
      this.#property(property, /\{[^}]+\}|[A-Z]/y);
      return;
    }
    const from = this.#classCharacter();
    if (!this.#match(/-(?!\]|\\[wdsWDSpP]|$)/y)) {
      this.#literal(from);
      return;
    }
    this.#at++;
    const to = this.#classCharacter();
    if (to < from) throw new Untranslatable("a range in brackets goes backwards");
    this.#literal(from);
    this.#emit("-");
    this.#literal(to);
  }

  #shorthandInside(letter: string): void {
    this.#at += 2;
    const name = letter.toLowerCase() as "w" | "d" | "s";
    const { ascii, any, v8 } = this.#inside(name);
    if (letter === name) {
      this.#emit(ascii, v8, any);
      return;
    }
    const outside = this.#flags.a ? NEGATED.ascii[name] : NEGATED.any[name];
    if (outside === undefined) this.#isLinearForAny = false;
    this.#emit(NEGATED.ascii[name], `[^${v8}]`, outside ?? "");
  }

  /** A character in brackets, where `\b` is a backspace. */
  #classCharacter(): number {
    if (this.source[this.#at] === "\\") {
      const code = this.#character();
      if (code !== undefined) return code;
      if (this.source[this.#at + 1] !== "b")
        throw new Untranslatable(`\\${this.source[this.#at + 1] ?? ""} is no escape`);
      this.#at += 2;
      return 8;
    }
    const code = this.source.codePointAt(this.#at) ?? 0;
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }
}

const endOfLine = (source: string, from: number): number => {
  const end = source.indexOf("\n", from);
  return end < 0 ? source.length : end;
};

function literal(code: number): { readonly re2: string; readonly v8: string } {
  const text = String.fromCodePoint(code);
  if (/^[0-9A-Za-z]$/.test(text)) return { re2: text, v8: text };
  const hex = code.toString(16);
  return { re2: `\\x{${hex}}`, v8: `\\u{${hex}}` };
}
