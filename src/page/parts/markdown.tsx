// Markdown of a workflow, made safe. The two libraries are loaded when there is some to show; until then it is plain text.
import { useEffect, useRef } from "preact/hooks";

type Write = (text: string) => DocumentFragment;
let loading: Promise<Write> | null = null;

const writer = (): Promise<Write> =>
  (loading ??= import("./markdown-writer.ts").then(({ writeMarkdown }) => writeMarkdown));

export function Markdown({ text }: { readonly text: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let isGone = false;
    if (place.current) place.current.textContent = text;
    writer().then(
      (write) => {
        if (!isGone) place.current?.replaceChildren(write(text));
      },
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, [text]);
  return <div class="markdown" ref={place} />;
}
