// Nobody has let this page in yet, or the server is not there.
import { access, openSession } from "../api/session.ts";

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
          server that was started anew has printed a new one.
        </p>
        <pre class="code">segno serve --open</pre>
      </div>
    </main>
  );
}
