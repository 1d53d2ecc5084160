// Somebody pressed Answer: the question that is shown next takes the focus.
import { signal } from "@preact/signals";

export const isAnswering = signal(false);
