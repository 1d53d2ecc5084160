// `segno completion`: a script that completes commands, options and choices in a shell, generated from the table of
// commands.
import { type Call, type CommandSpec, EVERYWHERE, type OptionSpec } from "../command.ts";

export function completion({ asked, output, commands }: Call): number {
  output.stdout.write(completionScript(asked.required(0) as ShellName, commands));
  return 0;
}

type ShellName = "bash" | "zsh" | "fish" | "powershell";

interface Flag {
  readonly names: readonly string[];
  readonly about: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

const flagOf = ({ flags, about, choices = [] }: OptionSpec): Flag => ({
  names: flags.match(/--?[\w-]+/g) ?? [],
  about,
  takesValue: flags.includes("<"),
  choices,
});

const flagsOf = (spec: CommandSpec): readonly Flag[] => [...(spec.options ?? []), ...EVERYWHERE].map(flagOf);
const wordsOf = (spec: CommandSpec): readonly string[] =>
  (spec.arguments ?? []).flatMap(({ choices }) => choices ?? []);

/** The commands by first word: one spec of that name, and the second words below it. */
type Families = ReadonlyMap<string, { readonly spec?: CommandSpec; readonly below: readonly CommandSpec[] }>;

function families(commands: readonly CommandSpec[]): Families {
  const words = [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? name))];
  return new Map(
    words.map((word) => [
      word,
      {
        spec: commands.find(({ name }) => name === word),
        below: commands.filter(({ name }) => name.startsWith(`${word} `)),
      },
    ]),
  );
}

const second = ({ name }: CommandSpec): string => name.split(" ")[1] ?? "";
const single = (text: string): string => text.replaceAll("'", "'\\''");

export function completionScript(shell: ShellName, commands: readonly CommandSpec[]): string {
  switch (shell) {
    case "bash":
      return bash(commands);
    case "zsh":
      return zsh(commands);
    case "fish":
      return fish(commands);
    case "powershell":
      return powershell(commands);
    default:
      return shell satisfies never;
  }
}

/** What may follow a command, in one line. */
const words = (spec: CommandSpec | undefined, below: readonly CommandSpec[]): string =>
  [...below.map(second), ...(spec ? [...wordsOf(spec), ...flagsOf(spec).flatMap(({ names }) => names)] : [])].join(" ");

function bash(commands: readonly CommandSpec[]): string {
  const cases = [...families(commands)].flatMap(([word, { spec, below }]) => [
    ...below.map((inner) => `    '${word} ${second(inner)}') words='${words(inner, [])}' ;;`),
    `    '${word} '*) words='${words(spec, below)}' ;;`,
  ]);
  const choices = [
    ...new Map(
      commands
        .flatMap(flagsOf)
        .flatMap((flag) =>
          flag.choices.length ? flag.names.map((name) => [name, flag.choices.join(" ")] as const) : [],
        ),
    ),
  ];
  return `# Segno completion for bash
_segno() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=''
  case "$previous" in
${choices.map(([name, list]) => `    ${name}) COMPREPLY=($(compgen -W '${list}' -- "$current")); return ;;`).join("\n")}
    --home) COMPREPLY=($(compgen -d -- "$current")); return ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${[...families(commands).keys()].join(" ")}' -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
}
complete -o filenames -F _segno segno
`;
}

function zsh(commands: readonly CommandSpec[]): string {
  const text = (about: string) => single(about).replace(/[[\]:]/g, "\\$&");
  const specs = (spec: CommandSpec) =>
    flagsOf(spec).flatMap(({ names, about, takesValue, choices }) =>
      names.map(
        (name) =>
          `'*${name}[${text(about)}]${takesValue ? `:value:${choices.length ? `(${choices.join(" ")})` : "_files"}` : ""}'`,
      ),
    );
  const rest = (spec: CommandSpec) =>
    wordsOf(spec).length ? `'*:word:(${wordsOf(spec).join(" ")})'` : "'*:file:_files'";
  const call = (spec: CommandSpec) => `_arguments ${[...specs(spec), rest(spec)].join(" ")}`;
  const described = (list: readonly (readonly [string, string])[]) =>
    list.map(([word, about]) => `'${word}:${text(about)}'`).join(" ");
  const cases = [...families(commands)].map(([word, { spec, below }]) => {
    if (below.length === 0) return `    ${word}) ${spec ? call(spec) : ""} ;;`;
    const inner = below.map((one) => `        ${second(one)}) ${call(one)} ;;`).join("\n");
    const list = described(below.map((one) => [second(one), one.summary]));
    const fallback = spec
      ? `        *) _values 'command' ${below.map(second).join(" ")}; ${call(spec)} ;;`
      : `        *) local -a inner=(${list}); _describe 'command' inner ;;`;
    return `    ${word})\n      case "$words[3]" in\n${inner}\n${fallback}\n      esac ;;`;
  });
  const top = described(
    [...families(commands)].map(([word, { spec, below }]) => [word, spec?.summary ?? below.map(second).join(", ")]),
  );
  return `#compdef segno
# Segno completion for zsh
_segno() {
  if (( CURRENT == 2 )); then
    local -a commands=(${top})
    _describe 'command' commands
    return
  fi
  case "$words[2]" in
${cases.join("\n")}
  esac
}
if [ "$funcstack[1]" = "_segno" ]; then _segno "$@"; else compdef _segno segno; fi
`;
}

function fish(commands: readonly CommandSpec[]): string {
  const flagLine = (condition: string, { names, about, takesValue, choices }: Flag) => {
    const parts = names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
    const value = takesValue ? (choices.length ? ` -x -a '${choices.join(" ")}'` : " -r") : "";
    return `complete -c segno -n '${condition}' ${parts.join(" ")}${value} -d '${single(about)}'`;
  };
  const lines = [...families(commands)].flatMap(([word, { spec, below }]) => {
    const seen = `__fish_seen_subcommand_from ${word}`;
    return [
      `complete -c segno -f -n __fish_use_subcommand -a ${word} -d '${single(spec?.summary ?? below.map(second).join(", "))}'`,
      ...below.map((one) => `complete -c segno -f -n '${seen}' -a ${second(one)} -d '${single(one.summary)}'`),
      ...(spec ? wordsOf(spec).map((choice) => `complete -c segno -f -n '${seen}' -a ${choice}`) : []),
      ...[spec, ...below].flatMap((one) => one?.options ?? []).map((option) => flagLine(seen, flagOf(option))),
    ];
  });
  return ["# Segno completion for fish", ...lines, ...EVERYWHERE.map((option) => flagLine("true", flagOf(option)))]
    .join("\n")
    .concat("\n");
}

function powershell(commands: readonly CommandSpec[]): string {
  const all = [...families(commands)];
  const rows = [
    ["", all.map(([word]) => word).join(" ")],
    ...all.flatMap(([word, { spec, below }]) => [
      [word, words(spec, below)],
      ...below.map((inner) => [inner.name, words(inner, [])]),
    ]),
  ];
  return `# Segno completion for PowerShell
Register-ArgumentCompleter -Native -CommandName segno -ScriptBlock {
  param($word, $ast, $position)
  $known = @{
${rows.map(([name, list]) => `    '${name}' = '${list}'`).join("\n")}
  }
  $said = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  if ($word -ne '') { $said = @($said | Select-Object -SkipLast 1) }
  $key = ($said | Select-Object -First 2) -join ' '
  if (-not $known.ContainsKey($key)) { $key = "$($said | Select-Object -First 1)" }
  "$($known[$key])" -split ' ' | Where-Object { $_ -ne '' -and $_ -like "$word*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;
}
