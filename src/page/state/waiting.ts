// How many questions wait for a person: the number in the header. Asked again when a run that waits appears or goes.
import { effect, signal } from "@preact/signals";
import type { GatesJson } from "../../server/contract/gates.ts";
import { get } from "../api/client.ts";
import { access } from "../api/session.ts";
import { followList } from "../api/stream.ts";

export const gatesWaiting = signal(0);

let timer: ReturnType<typeof setTimeout> | undefined;

export function countGates(): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    get<GatesJson>("/api/gates").then(
      ({ gates }) => {
        gatesWaiting.value = gates.length;
      },
      () => undefined,
    );
  }, 300);
}

export function watchGates(): void {
  let stop: (() => void) | undefined;
  effect(() => {
    stop?.();
    stop = undefined;
    if (access.value !== "granted") return;
    countGates();
    stop = followList(countGates);
  });
}
