// The exception of a call that cannot be meant. Its stack begins at the caller's own line: the frames of this package are
// left out, and so Node does not print a line of minified code when nobody catches the exception.

export function calledWrong(message: string): TypeError {
  const error = new TypeError(message);
  const [, ...frames] = error.stack?.slice(`TypeError: ${message}`.length).split("\n") ?? [];
  const folder = folderOf(frames[0]);
  if (folder !== undefined)
    error.stack = [`TypeError: ${message}`, ...frames.filter((frame) => !frame.includes(folder))].join("\n");
  return error;
}

/** Of a frame such as `    at calledWrong (/app/node_modules/segno/dist/parts/shared-1A2B.js:3:14)`. */
const folderOf = (frame: string | undefined): string | undefined =>
  /(?:\(|at )((?:file:\/\/)?(?:[A-Za-z]:)?[\\/].*[\\/])[^\\/]+:\d+:\d+\)?$/.exec(frame ?? "")?.[1];
