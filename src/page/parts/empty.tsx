// What a view says while it has nothing to show: why, and the command that fills it.
import type { ComponentChildren } from "preact";

interface EmptyProps {
  readonly title: string;
  readonly command: string;
  readonly children: ComponentChildren;
}

export const Empty = ({ title, command, children }: EmptyProps) => (
  <div class="empty">
    <h2>{title}</h2>
    <p>{children}</p>
    <pre class="code">{command}</pre>
  </div>
);
