// What an agent wants to do, in a line for whoever is asked: "You asked whether you may ...".

const LONGEST = 2000;

export function describeCall(tool: string, input: Readonly<Record<string, unknown>>): string {
  const said = (name: string): string | undefined => (typeof input[name] === "string" ? input[name] : undefined);
  const command = said("command");
  if (command !== undefined) return `run the command \`${command.slice(0, LONGEST)}\``;
  const path = said("file_path") ?? said("path") ?? said("notebook_path");
  if (path !== undefined) return `${/read|view|glob|grep/i.test(tool) ? "read" : "change"} ${path}`;
  const url = said("url");
  if (url !== undefined) return `fetch ${url}`;
  return `use ${tool} with ${(JSON.stringify(input) ?? "").slice(0, LONGEST)}`;
}
