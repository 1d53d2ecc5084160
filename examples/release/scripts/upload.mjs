import { answer, aWhile, keep, raise, state } from "./shared.mjs";

const now = state();
const attempts = now.uploads + 1;
// While we wait for the registry, a colleague pushes: the branch will not be where we left it.
keep({ ...now, uploads: attempts, ...(now.colleaguePushes ? { head: "c2", colleaguePushes: false } : {}) });
console.error(`uploading ${process.argv[2]} …`);
await aWhile(0.5);
if (attempts <= now.busyFor) raise("registry.busy", "the registry is busy (503)", { attempt: attempts });
answer({ attempts, url: `registry.invalid/${process.argv[2]}` });
