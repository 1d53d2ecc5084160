// The one way in which this program ends itself. Whoever else ends it (code of a plugin, a package that we use) has not been
// asked to, and an end that no command came to is no success.

let isLeaving = false;

export function leaveProcess(code: number): never {
  isLeaving = true;
  return process.exit(code);
}

export const isLeavingProcess = (): boolean => isLeaving;
