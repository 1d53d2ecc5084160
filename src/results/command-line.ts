// For people at a terminal: hints are commands that can be copied.

import { shellWord } from "../events/shell-word.ts";
import type { Reader } from "./reader.ts";

export const COMMAND_LINE: Reader = {
  ask(wanted) {
    switch (wanted.to) {
      case "run":
        return "segno run";
      case "validate":
        return `segno validate ${shellWord(wanted.file)}`;
      case "resume": {
        const more = wanted.maxIterations === undefined ? "" : ` --max-iterations ${wanted.maxIterations}`;
        return `segno resume ${wanted.run}${more}`;
      }
      case "run lost items":
        return `segno resume ${wanted.run} --failed-items`;
      case "be asked":
        return `segno resume ${wanted.run}`;
      case "take over":
        return `segno resume ${wanted.run} --take-over`;
      case "cancel":
        return `segno cancel ${wanted.run}`;
      case "follow":
        return `segno events ${wanted.run} --follow`;
      case "show":
        return `segno show ${wanted.run}`;
      case "list runs":
        return "segno runs";
      case "list gates":
        return "segno gate list";
      case "answer":
        return `segno gate answer ${wanted.run} VALUE${wanted.gate === undefined ? "" : ` --gate ${shellWord(wanted.gate)}`}`;
      case "list letters":
        return "segno dlq list --all";
      case "retry":
        return `segno dlq retry ${"letter" in wanted ? wanted.letter : `--run ${wanted.run}`}`;
      case "list breakers":
        return "segno breakers";
      case "reset":
        return `segno breakers reset ${shellWord(wanted.breaker)}`;
      case "prune":
        return "segno runs prune";
      case "examine":
        return "segno doctor";
      case "reindex":
        return "segno doctor --reindex";
      case "start servers":
        return "segno doctor FILE --start";
    }
  },
  give(given) {
    switch (given.what) {
      case "input":
        return `-i ${given.name}=VALUE`;
      case "gate":
        return "--gate";
      case "home":
        return "--home or SEGNO_HOME";
      case "provider":
        return "--provider";
      case "answer":
        return `--input ${given.name}=…`;
      case "option":
        return `--${given.name}${given.value === undefined ? "" : ` ${shellWord(given.value)}`}`;
    }
  },
};
