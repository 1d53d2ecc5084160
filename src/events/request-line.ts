// What an agent asked a person to allow, in one line for a list of what happened: the whole of it stands with the step.

const LONGEST = 160;
/** Where a block of code begins or ends, and the digest by which a request is known again. */
const NOT_READ = /^(?:`{3,}|\[request [0-9a-f]+\])$/;

export function requestLine(prompt: string): string {
  const lines = prompt.split("\n").map((line) => line.trim());
  const letters = [...lines.filter((line) => line !== "" && !NOT_READ.test(line)).join(" ")];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join("")}…` : letters.join("");
}
