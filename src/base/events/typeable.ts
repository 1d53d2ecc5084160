// Names and command lines as people type and read them. What no terminal or address takes, or what moves a cursor or turns the
// order of letters round, stands as an escape of JSON: `each[lone\ud800]`.
/** What cannot be typed, and a backslash that would be read as the beginning of an escape: two names stay two. */
const NOT_TYPEABLE =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|\\(?=[uU][0-9a-fA-F]{4})/gu;

export const typeable = (text: string): string =>
  text.replace(NOT_TYPEABLE, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The text that is typed so. */
export const fromTyped = (typed: string): string =>
  typed.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

// How a run is named in few characters. An id begins with its time, which runs of one day share, and ends with chance: its
// end is what is shown, and taken.

/** Fewer characters of an id, from its beginning or its end, name nothing. */
export const LEAST_OF_RUN_ID = 6;

export const shortRunId = (runId: string): string => runId.slice(-LEAST_OF_RUN_ID);

// Command lines that people are shown, as a shell would take them.

const HARMLESS = /^[\w@%+=:,./-]+$/;

/** A path of Windows: cmd.exe knows no single quotes, and in double ones every shell takes it as it is. */
const WINDOWS_PATH = /^[\w@+=:,./ -]*(?:\\[\w@+=:,./ -]+)+$/;

/** As it is where a shell takes it as it is; in single quotes otherwise: `'g#1[0].m'`. */
export function shellWord(text: string): string {
  if (HARMLESS.test(text)) return text;
  return WINDOWS_PATH.test(text) ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;
}

export const shellLine = (words: readonly string[]): string => words.map(shellWord).join(" ");

const LONGEST = 160;
/** Where a block of code begins or ends, and the digest by which a request is known again. */
const NOT_READ = /^(?:`{3,}|\[request [0-9a-f]+\])$/;

/** What an agent asked a person to allow, in one line for a list of what happened: the whole of it stands with the step. */
export function requestLine(prompt: string): string {
  const lines = prompt.split("\n").map((line) => line.trim());
  const letters = [...lines.filter((line) => line !== "" && !NOT_READ.test(line)).join(" ")];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join("")}…` : letters.join("");
}
