// Starting a command on Windows. Node finds programs alone (.exe, .com), and looks in the working folder first; what npm
// installs are batch files, which only cmd.exe runs, and which read their arguments as commands once more.
import { lstatSync } from "node:fs";
import { win32 } from "node:path";
import { environmentAsHere, PLATFORM, systemFile, variable } from "./platform.ts";
import type { Command, Launch } from "./system.ts";

const EXTENSIONS = ".COM;.EXE;.BAT;.CMD";
/** What cmd.exe takes in one line is 8191. */
const LONGEST_LINE = 8000;

export function launchOnWindows({ command, args, cwd, env }: Command, isFile = isThere): Launch {
  const file = commandFile({ command, cwd, env }, isFile);
  const options = { env: environmentAsHere(env), windowsHide: true };
  if (!/\.(?:bat|cmd)$/i.test(file)) return { file, args, options };
  return {
    file: systemFile("cmd.exe"),
    // /v:off: exclamation marks are themselves. /s: the outermost quotes are taken off, and nothing else.
    args: ["/d", "/v:off", "/s", "/c", `"${batchLine(file, args)}"`],
    options: { ...options, windowsVerbatimArguments: true },
  };
}

export function lacksShell(command: string, env: Command["env"], platform = PLATFORM): boolean {
  if (platform !== "win32" || !/^(?:ba|da|z)?sh$/.test(command)) return false;
  try {
    return commandFile({ command, cwd: "", env }, isThere) === "";
  } catch {
    return true;
  }
}

/** As on POSIX: a path is seen from the working folder, a name is looked for on the PATH and nowhere else. */
function commandFile({ command, cwd, env }: Omit<Command, "args">, isFile: (file: string) => boolean): string {
  const isPath = /[\\/:]/.test(command);
  const path = variable(env, "PATH") ?? "";
  const folders = isPath ? [cwd] : path.split(win32.delimiter).map(unquoted).filter(win32.isAbsolute);
  const extensions = (variable(env, "PATHEXT") || EXTENSIONS).toLowerCase().split(";").filter(Boolean);
  const hasExtension = extensions.includes(win32.extname(command).toLowerCase());
  const names = [...(hasExtension ? [""] : []), ...extensions].map((extension) => `${command}${extension}`);
  for (const folder of folders)
    for (const name of names) {
      const file = win32.resolve(folder, name);
      if (isFile(file)) return file;
    }
  const bare = folders.map((folder) => win32.resolve(folder, command)).find(isFile);
  if (bare === undefined) throw problem("ENOENT", `${command} was not found`);
  throw problem(
    "ENOEXEC",
    `${bare} is no program of Windows. Start what runs it: command: ${interpreterOf(bare)}, args: [${command}, …]`,
  );
}

const INTERPRETERS: Readonly<Record<string, string>> = {
  ".ps1": "pwsh",
  ".py": "python",
  ".js": "node",
  ".mjs": "node",
  ".cjs": "node",
  ".sh": "bash",
};

const interpreterOf = (file: string): string => INTERPRETERS[win32.extname(file).toLowerCase()] ?? "sh";

/** Where PATH has folders in quotes. */
const unquoted = (folder: string): string => folder.replace(/^"(.*)"$/, "$1");

/** Also what only leads to a program: those of the Store cannot be looked into. */
function isThere(file: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found !== undefined && !found.isDirectory();
}

/** Quotes, percent signs and ends of lines would reach a batch file as something else, however they are written. */
function batchLine(file: string, args: readonly string[]): string {
  const unsafe = [file, ...args].find((word) => /["%\r\n]/.test(word));
  if (unsafe !== undefined)
    throw problem(
      "EINVAL",
      `${win32.basename(file)} is a batch file, and cmd.exe would change what it is given in ${JSON.stringify(unsafe)}: quotes, percent signs and line ends cannot be handed to one safely. Hand the value over in \`env\` or on \`stdin\`, or start the program that the batch file starts`,
    );
  const line = [quoted(file), ...args.map((arg) => (/^[\w.:/\\@+-]+$/.test(arg) ? arg : quoted(arg)))].join(" ");
  if (line.length > LONGEST_LINE) throw problem("E2BIG", `cmd.exe takes ${LONGEST_LINE} characters`);
  return line;
}

/** A backslash before the closing quote would be part of the text. */
const quoted = (word: string): string => `"${word.replace(/\\+$/, "$&$&")}"`;

const problem = (code: string, message: string): NodeJS.ErrnoException => Object.assign(new Error(message), { code });
