// The one way in which this program ends itself. If other code ends it (a plugin, a package that we use), the command
// has not come to its end, and that is no success.

let isLeaving = false;

export function leaveProcess(code: number): never {
  isLeaving = true;
  return process.exit(code);
}

export const isLeavingProcess = (): boolean => isLeaving;
