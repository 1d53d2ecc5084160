// The firings of a store, with the project whose triggers are meant.
import type { Firings } from "../../hosts/firings.ts";
import type { RunStore } from "../../hosts/store.ts";
import type { Project } from "../project/read-project.ts";
import { projectHere } from "../project/trust-project.ts";
import { refusal } from "../refusals.ts";
import type { Surroundings } from "../request.ts";
import { withStore } from "../store.ts";
import { settleWaiting } from "./settle-waiting.ts";

export const withFirings = <Answer>(
  request: Surroundings,
  use: (firings: Firings, project: Project, store: RunStore) => Answer | Promise<Answer>,
): Promise<Answer> =>
  withStore(request, async (store) => {
    const { firings } = store.state;
    if (!firings) throw refusal("this store keeps no firings");
    await settleWaiting(store, firings);
    return use(firings, projectHere(request, { needsNoPlugin: true }), store);
  });
