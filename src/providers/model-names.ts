// How vendors spell models. Files are written for one spelling and run with another.

/** Copilot writes `claude-sonnet-4.5` where Anthropic writes `claude-sonnet-4-5`; models of others keep their names. */
export const anthropicName = (model: string): string =>
  model.startsWith("claude-") ? model.replace(/(\d)\.(\d)/g, "$1-$2") : model;
