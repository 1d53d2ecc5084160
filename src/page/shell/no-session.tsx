// Nobody has let this page in yet, or the server is not there.
import { useSignal } from "@preact/signals";
import { access, giveToken, openSession } from "../api/session.ts";
import { PaneTrouble } from "../parts/pane.tsx";

export function NoSession() {
  if (access.value === "asking") return <main class="view quiet">Connecting …</main>;
  if (access.value === "unreachable")
    return (
      <main class="view">
        <div class="empty">
          <h1>The server does not answer</h1>
          <p>It may have been stopped. Start it with the command below, and open the address that it prints.</p>
          <pre class="code">segno serve</pre>
          <button type="button" class="button" onClick={() => void openSession()}>
            Try again
          </button>
        </div>
      </main>
    );
  return (
    <main class="view">
      <div class="empty">
        <h1>This page has no session</h1>
        <p>
          Open the address that <code>segno serve</code> printed, with everything after the #: it holds the token. A
          server that was started anew wants the token once more: the one it printed, or your own. Given here, it leads
          back to what you were looking at.
        </p>
        <TokenForm />
      </div>
    </main>
  );
}

/** The token, or the whole address that ends with it. */
function TokenForm() {
  const problem = useSignal<string | null>(null);
  const onSubmit = async (event: Event & { readonly currentTarget: HTMLFormElement }): Promise<void> => {
    event.preventDefault();
    const given = String(new FormData(event.currentTarget).get("token") ?? "").trim();
    problem.value = given === "" ? null : await giveToken(given.replace(/^.*#(token=)?/, ""));
  };
  return (
    <form class="stack tight" onSubmit={(event) => void onSubmit(event)}>
      <div class="row">
        <input
          class="field"
          type="password"
          name="token"
          autocomplete="off"
          aria-label="Token, or the printed address"
          placeholder="Token, or the printed address"
        />
        <button type="submit" class="button main">
          Go on
        </button>
      </div>
      {problem.value !== null && <PaneTrouble message={problem.value} />}
    </form>
  );
}
