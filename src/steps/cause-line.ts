// The line of a script's stderr that says what went wrong. It is seldom the last one: stacks, summaries and version lines
// follow it. Nothing is concluded from it but what to show first; the whole tail stands beside it.

const LONGEST = 500;

/** What stands after the cause and does not name it. */
const AFTERWARDS: readonly RegExp[] = [
  // Stack frames, quoted source, properties of the error.
  /^\s/,
  /^[}\])]/,
  /^Node\.js v\d/,
  /^(goroutine \d+ |exit status \d|[\w./]+\.[\w.()*]+\(.*\)$)/,
  // Compilers count and advise, build tools say that what they called has failed.
  /^(.*: )?note: /,
  /^(\d+ (errors?|warnings?)\b.*|Found \d+ errors?\b.*|For more information about this error.*)$/,
  /^make(\[\d+\])?: \*\*\* /,
  /^npm (error|ERR!|notice)( (A complete log|code |path |workspace |location |command |errno |syscall ).*)?$/,
  // `set -x`.
  /^\++ /,
];

/** `TypeError: …`, `java.io.IOException: …`, `Error [ERR_X]: …`. */
const NAMED = /^(Uncaught |Caused by: |Exception in thread ".*" )?[\w.$]*(Error|Exception)( \[\w+\])?(:|$)/;

const FRAME = /^\s+(at |File ")/;

/** With a place or a code, as compilers write them: the first is the cause of the rest. */
const COMPILER = /(:\d+: (fatal )?error: |\(\d+,\d+\): error |^error(\[\w+\])?: )/;

export function causeLine(stderr: string): string | undefined {
  const lines = stderr.split(/\r?\n|\r/).map((line) => line.replace(COLOURS, "").trimEnd());
  const last = lines.findLastIndex((line) => line !== "" && !AFTERWARDS.some((pattern) => pattern.test(line)));
  const said = lines[last];
  if (said === undefined) return cut(lines.findLast((line) => line !== ""));
  if (COMPILER.test(said)) return cut(lines.find((line) => COMPILER.test(line)));
  if (!lines.some((line) => FRAME.test(line))) return cut(said);
  // A message of several lines: its first one has the name.
  const block = lines.slice(lines.lastIndexOf("", last) + 1, last + 1);
  return cut(block.findLast((line) => NAMED.test(line)) ?? said);
}

const COLOURS = /\u001b\[[0-9;]*m/g;

function cut(line: string | undefined): string | undefined {
  const text = line?.trim();
  return text && text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
