// What the sandboxes of the agents guard by themselves, besides what Segno tells them to: seen with the real packages. What
// of it is not there, they make as long as a command runs.

/** In the agent's folder. */
export const IN_FOLDER = [
  ".agents",
  ".aws",
  ".bash_profile",
  ".bashrc",
  ".claude",
  ".claude/.cc-writes",
  ".claude/agents",
  ".claude/commands",
  ".claude/hooks",
  ".claude/launch.json",
  ".claude/loop.md",
  ".claude/output-styles",
  ".claude/routines",
  ".claude/scheduled_tasks.json",
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".claude/skills",
  ".claude/workflows",
  ".codex",
  ".gemini",
  ".git",
  ".gitconfig",
  ".gitmodules",
  ".goose",
  ".idea",
  ".mcp.json",
  ".opencode",
  ".profile",
  ".ripgreprc",
  ".vscode",
  ".zprofile",
  ".zshrc",
];

/** In the user's home: empty folders that Claude makes even if it is given another folder to use. */
export const IN_HOME = [".claude", ".claude/bridge-spawn", ".claude/daemon", ".claude/file-history", ".claude/ssh"];

/** In a repository. */
export const IN_REPOSITORY = [
  "HEAD",
  "branches",
  "commondir",
  "config",
  "config.lock",
  "config.worktree",
  "config.worktree.lock",
  "glab-cli",
  "hooks",
  "info/.claude-sandbox-noreplace",
  "info/attributes",
  "info",
  "modules",
  "objects/info/.claude-sandbox-noreplace",
  "objects/info/alternates",
  "objects/info/commit-graph",
  "objects/info/commit-graphs",
  "objects/info/http-alternates",
  "objects/info",
  "objects",
  "refs",
  "remotes",
  "worktrees",
];
