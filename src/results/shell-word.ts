// Part of a command line that people are given to copy.

const HARMLESS = /^[\w@%+=:,./-]+$/;

/** As it is where a shell takes it as it is; in single quotes otherwise: `'g#1[0].m'`. */
export const shellWord = (text: string): string => (HARMLESS.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
