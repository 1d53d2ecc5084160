import { answer, aWhile, keep, state } from "./shared.mjs";

const [head = ""] = process.argv.slice(2);
await aWhile(0.6);
keep({ ...state(), seen: head });
answer({ onto: head });
