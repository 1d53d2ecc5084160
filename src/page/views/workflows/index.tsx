export function WorkflowsView() {
  return <main class="view quiet">Workflows</main>;
}
