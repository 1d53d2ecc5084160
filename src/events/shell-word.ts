// Command lines that people are shown, as a shell would take them.

const HARMLESS = /^[\w@%+=:,./-]+$/;

/** As it is where a shell takes it as it is; in single quotes otherwise: `'g#1[0].m'`. */
export const shellWord = (text: string): string => (HARMLESS.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

export const shellLine = (words: readonly string[]): string => words.map(shellWord).join(" ");
