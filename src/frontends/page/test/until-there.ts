// A script of a workflow that goes on until a test writes a file.

/** The arguments of `node`, as they stand in a workflow file. Looks again and again: it may be written before it is watched. */
export const untilThere = (file: string): string =>
  `["-e", "setInterval(() => require('node:fs').existsSync('${file}') && process.exit(), 50)"]`;
