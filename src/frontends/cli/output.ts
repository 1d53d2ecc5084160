// The two streams as a command sees them: the format that was asked for, how loud to be, and whether there is a person.
// stdout carries the answer and nothing else; everything said along the way goes to stderr.
import picocolors from "picocolors";
import { jsonPieces } from "../../base/json/pieces.ts";
import { environmentRedactor } from "../../services/session/exit.ts";
import { jsonText, plain, plainButColors, withoutCommands } from "./text/harmless.ts";

export type Format = "text" | "json" | "ndjson";
export type Colors = ReturnType<typeof picocolors.createColors>;

/** Of a terminal whose width is not known. */
export const USUAL_COLUMNS = 80;

/** Without a terminal nothing has to fit: lines are written whole. */
export const WHOLE_LINES = 10_000;

/** The part of a terminal stream that is used; tests give their own. */
export interface Sink {
  write(text: string, done?: () => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  /** Of Node's terminals: asks for `columns` and `rows` anew. */
  _refreshSize?(): void;
}

export interface OutputSettings {
  readonly format: Format;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** `--no-color` was given. */
  readonly plain: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Colours only where a person looks; NO_COLOR and --no-color win, FORCE_COLOR is for recordings. */
export function wantsColor(stream: Sink, { plain, env }: Pick<OutputSettings, "plain" | "env">): boolean {
  if (plain || env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== "0" && env.FORCE_COLOR !== "false";
  return stream.isTTY === true && env.TERM !== "dumb";
}

/** Whether the log that this is written to obeys lines of it: GitHub Actions, Azure Pipelines, TeamCity. */
const isReadByCi = ({ GITHUB_ACTIONS, TF_BUILD, TEAMCITY_VERSION }: OutputSettings["env"]): boolean =>
  GITHUB_ACTIONS === "true" || Boolean(TF_BUILD) || Boolean(TEAMCITY_VERSION);

/**
 * A stream that lets nothing through but text without secrets, and colours where there are any: what is written may come from
 * anywhere.
 */
class Guarded implements Sink {
  readonly #stream: Sink;
  readonly #shown: (text: string) => string;

  constructor(
    stream: Sink,
    { hasColors, isObeyed, hide }: { readonly hasColors: boolean; readonly isObeyed: boolean; readonly hide: Hide },
  ) {
    this.#stream = stream;
    const safe = hasColors ? plainButColors : plain;
    const shown = (text: string): string => safe(hide(text));
    this.#shown = isObeyed ? (text) => withoutCommands(shown(text)) : shown;
  }

  write(text: string, done?: () => void): unknown {
    return this.#stream.write(this.#shown(text), done);
  }

  get isTTY(): boolean {
    return this.#stream.isTTY === true;
  }

  /** A terminal that does not know its size reports 0: recorders and some build machines do. */
  get columns(): number | undefined {
    return this.#stream.columns === 0 ? USUAL_COLUMNS : this.#stream.columns;
  }

  get rows(): number | undefined {
    return this.#stream.rows;
  }
}

type Hide = (text: string) => string;

/** A terminal stream as it is, but for secrets. */
class Hiding implements Sink {
  constructor(
    private readonly stream: Sink,
    private readonly hide: Hide,
  ) {}

  write(text: string, done?: () => void): unknown {
    return this.stream.write(this.hide(text), done);
  }

  get isTTY(): boolean {
    return this.stream.isTTY === true;
  }

  get columns(): number | undefined {
    return this.stream.columns;
  }

  get rows(): number | undefined {
    return this.stream.rows;
  }

  _refreshSize(): void {
    this.stream._refreshSize?.();
  }
}

/** Characters of a long answer that are written at a time. */
const ENOUGH = 64 * 1024;

export class Output {
  readonly format: Format;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** Colours for stderr, and for stdout. */
  readonly colors: Colors;
  readonly outColors: Colors;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** stderr itself, for what moves its cursor: callers make the text harmless first. */
  readonly terminal: Sink;
  readonly #report: Sink;
  readonly #open: Sink;

  constructor(settings: OutputSettings, streams: { stdout: Sink; stderr: Sink } = process) {
    this.format = settings.format;
    this.quiet = settings.quiet;
    this.verbose = settings.verbose;
    this.colors = picocolors.createColors(wantsColor(streams.stderr, settings));
    this.outColors = picocolors.createColors(wantsColor(streams.stdout, settings));
    const isObeyed = isReadByCi(settings.env);
    const hide = (text: string): string => environmentRedactor(settings.env).text(text);
    this.stdout = new Guarded(streams.stdout, { hasColors: this.outColors.isColorSupported, isObeyed, hide });
    this.stderr = new Guarded(streams.stderr, { hasColors: this.colors.isColorSupported, isObeyed, hide });
    this.#report = new Guarded(streams.stdout, { hasColors: false, isObeyed: false, hide });
    this.terminal = new Hiding(streams.stderr, hide);
    this.#open = new Guarded(streams.stderr, { hasColors: false, isObeyed, hide: (text) => text });
  }

  /** Whether stderr is a terminal that can be redrawn. */
  get live(): boolean {
    return this.stderr.isTTY === true && process.env.TERM !== "dumb";
  }

  get columns(): number {
    return this.stderr.columns ?? USUAL_COLUMNS;
  }

  /** How wide a line of the answer may be. */
  get width(): number {
    return this.stdout.columns ?? WHOLE_LINES;
  }

  /** A count on stderr while work goes on, where a user looks; "" ends it. */
  count(text: string): void {
    if (this.format === "text" && this.live && !this.quiet) this.terminal.write(`\r${plain(text)}\x1b[K`);
  }

  /** A line of the answer. */
  print(text: string): void {
    this.stdout.write(`${text}\n`);
  }

  /** What a reporter made for other programs: commands in it are meant. */
  report(text: string): void {
    this.#report.write(text);
  }

  /** A line on stderr, for the user. */
  say(text: string): void {
    this.stderr.write(`${text}\n`);
  }

  /** A token that this process has made, for whoever started it: it is the only way to learn it. */
  sayToken(text: string): void {
    this.#open.write(`${text}\n`);
  }

  /** A value as a line of JSON, or over many lines. */
  printJson(value: unknown, indent?: number): void {
    this.print(jsonText(value, indent));
  }

  /** The one object of `--output-format json`; a line of `ndjson`. */
  json(value: unknown): void {
    if (this.format === "ndjson") this.printListed({ type: "result", data: value });
    else this.printListed(value, 2);
  }

  /** A value as JSON, written as it is made where it holds `LazyList`. */
  printListed(value: unknown, indent?: number): void {
    let text = "";
    for (const piece of jsonPieces(value, (part) => jsonText(part, indent), indent)) {
      text += piece;
      if (text.length < ENOUGH) continue;
      this.stdout.write(text);
      text = "";
    }
    this.print(text);
  }

  /** All that was written has left, so the process may go. */
  async flushed(): Promise<void> {
    await Promise.all(
      [this.stdout, this.stderr].map((stream) => new Promise<void>((done) => stream.write("", () => done()))),
    );
  }
}
