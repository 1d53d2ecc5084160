// What an agent wants to do, in a line for whoever is asked: "You asked whether you may ...". Whoever says yes must have
// seen what to: nothing of it can hide behind control characters, or beyond where it is cut without a word.

const LONGEST = 4000;
const SHOWN_END = 1000;

/** Control characters, and those that turn or hide the text around them. */
const UNSEEN = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** As it will be run or used, with every character to be seen. */
export function everyCharacter(text: string): string {
  const seen = text.replace(UNSEEN, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
  if (seen.length <= LONGEST) return seen;
  const left = seen.length - LONGEST;
  return `${seen.slice(0, LONGEST - SHOWN_END)} … ${left} CHARACTERS ARE NOT SHOWN HERE … ${seen.slice(-SHOWN_END)}`;
}

export function describeCall(tool: string, input: Readonly<Record<string, unknown>>): string {
  const said = (name: string): string | undefined => (typeof input[name] === "string" ? input[name] : undefined);
  const command = said("command");
  if (command !== undefined) return `run the command \`${everyCharacter(command)}\``;
  const path = said("file_path") ?? said("path") ?? said("notebook_path");
  if (path !== undefined) return `${/read|view|glob|grep/i.test(tool) ? "read" : "change"} ${everyCharacter(path)}`;
  const url = said("url");
  if (url !== undefined) return `fetch ${everyCharacter(url)}`;
  return `use ${everyCharacter(tool)} with ${everyCharacter(JSON.stringify(input) ?? "")}`;
}
