export function GatesView() {
  return <main class="view quiet">Gates</main>;
}
