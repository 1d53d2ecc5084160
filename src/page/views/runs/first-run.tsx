// Nothing has run yet: how a newcomer comes to a first run.
export function FirstRun() {
  return (
    <main class="view">
      <div class="empty">
        <h1>No run yet</h1>
        <p>
          Runs of this store appear here by themselves, whoever starts them. Start one from the page, or in a terminal:
        </p>
        <pre class="code">segno run FILE</pre>
        <a class="button main" href="/workflows">
          Choose a workflow
        </a>
      </div>
    </main>
  );
}
