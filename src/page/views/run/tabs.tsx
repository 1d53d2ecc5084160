// The five ways to look at a run.
import { useComputed } from "@preact/signals";
import { Icon } from "../../parts/icon.tsx";
import { chooseView, selection, VIEWS } from "../../state/selection.ts";

const TAB_NAMES = { graph: "Graph", time: "Timeline", log: "Log", story: "Story", output: "Output" } as const;

interface TabsProps {
  readonly isReplaying: boolean;
  readonly toggleReplay: () => void;
}

export function Tabs({ isReplaying, toggleReplay }: TabsProps) {
  const view = useComputed(() => selection.value.view).value;
  return (
    <div class="run-tabs">
      <div role="tablist" aria-label="Views of the run" class="row">
        {VIEWS.map((name, index) => (
          <button
            type="button"
            role="tab"
            class="tab"
            key={name}
            aria-selected={name === view}
            title={`${index + 1}`}
            onClick={() => chooseView(name)}
          >
            {TAB_NAMES[name]}
          </button>
        ))}
      </div>
      <span class="grow" />
      <button
        type="button"
        class="button plain low"
        aria-pressed={isReplaying}
        title="Replay (p)"
        onClick={toggleReplay}
      >
        <Icon name="again" /> Replay
      </button>
    </div>
  );
}
