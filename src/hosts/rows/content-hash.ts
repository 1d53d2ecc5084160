// The name of a text that is kept once, however often it is spoken of.
import { createHash } from "node:crypto";

export const contentHash = (text: string): string => createHash("sha256").update(text).digest("hex");
