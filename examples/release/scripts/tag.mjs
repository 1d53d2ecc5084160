import { answer, aWhile, keep, raise, state } from "./shared.mjs";

const [tag = "v0"] = process.argv.slice(2);
const now = state();
await aWhile(0.4);
if (now.head !== now.seen)
  raise("vcs.drift", `main moved from ${now.seen} to ${now.head} while we were building`, {
    seen: now.seen,
    head: now.head,
  });
keep({ ...now, head: `${now.head}+${tag}`, seen: `${now.head}+${tag}`, tags: { ...now.tags, [tag]: now.head } });
answer({ tag, at: now.head });
