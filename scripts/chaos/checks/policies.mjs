// Policies: every denial has its verdict in the events, and no more scripts run at a time than may.

export function policiesHeld(events, { slots }) {
  const wrong = [];
  const denials = new Map();
  let running = 0;
  for (const { type, path, data } of events) {
    const node = [...path, data.node ?? data.agent_name].join("/");
    if (type === "policy_evaluated" && !data.allowed) denials.set(node, (denials.get(node) ?? 0) + 1);
    if (type === "agent_failed" && data.kind === "policy.denied" && !isContainer(data)) {
      const told = denials.get(node) ?? 0;
      if (told === 0) wrong.push(`${data.key} was denied, and no event says by which policy`);
      denials.set(node, told - 1);
    }
    if (type === "run_resumed") running = 0;
    if (type === "script_started") running += 1;
    if (type === "script_completed" || type === "script_failed") running -= 1;
    if (slots !== undefined && running > slots) wrong.push(`${running} scripts ran at a time, and ${slots} may`);
  }
  return wrong;
}

const isContainer = ({ agent_type }) => ["parallel", "for_each", "workflow"].includes(agent_type);
