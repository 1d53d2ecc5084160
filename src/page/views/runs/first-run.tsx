// Nothing has run yet: how a newcomer comes to a first run, with an error in it and what becomes of it.
import { useSignal } from "@preact/signals";
import type { ExampleJson, WorkflowsJson } from "../../../server/contract/workflows.ts";
import type { ActedJson } from "../../../server/contract/writes.ts";
import { get, postJson } from "../../api/client.ts";
import { Icon } from "../../parts/icon.tsx";
import { isReadOnly, sayProblem, workflowPath } from "../../state/actions.ts";
import { go } from "../../state/address.ts";
import { useLoaded } from "../../state/loaded.ts";

/** More of them are on their own page. */
const MOST = 8;

export function FirstRun() {
  const isStarting = useSignal(false);
  const loaded = useLoaded((signal) => get<WorkflowsJson>("/api/workflows", {}, signal), []);
  const here = (loaded.value.value?.workflows ?? []).slice(0, MOST);
  const start = async (): Promise<void> => {
    if (isStarting.value) return;
    isStarting.value = true;
    try {
      const { file } = await postJson<ExampleJson>("/api/examples", { name: "release" });
      const { run_id } = await postJson<ActedJson>("/api/runs", { file, inputs: {} });
      go(`/runs/${encodeURIComponent(run_id)}?follow=1`);
    } catch (error) {
      sayProblem(error);
    } finally {
      isStarting.value = false;
    }
  };
  return (
    <main class="view">
      <div class="empty">
        <h1>No run yet</h1>
        {!isReadOnly() && (
          <>
            <p>
              See one: the example releases a small project. Its registry is busy at first, so the upload is tried
              again; then another user has pushed meanwhile, and that error has a route of its own. It takes a quarter
              of a minute and changes nothing but a folder <code>segno-example</code> here.
            </p>
            <button type="button" class="button main" disabled={isStarting.value} onClick={() => void start()}>
              <Icon name="play" /> {isStarting.value ? "Starting …" : "Run the release example"}
            </button>
          </>
        )}
        {here.length > 0 && !isReadOnly() && (
          <ul>
            {here.map(({ file, workflow }) => (
              <li class="row" key={file}>
                <a class="button low" href={workflowPath(file)}>
                  Start {workflow ?? file}
                </a>
                <span class="soft">{file}</span>
              </li>
            ))}
          </ul>
        )}
        <p>
          Or <a href="/workflows">start a workflow of yours</a>, also in a terminal. Runs appear here by themselves,
          whichever way they are started.
        </p>
        <pre class="code">segno run FILE</pre>
      </div>
    </main>
  );
}
