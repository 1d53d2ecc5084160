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
