export function LettersView() {
  return <main class="view quiet">Letters</main>;
}
