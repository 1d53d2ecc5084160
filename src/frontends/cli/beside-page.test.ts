import { expect, it } from "vitest";
import { besidePage } from "./beside-page.ts";

async function saidBeside({ keep, isOpened }: { readonly keep: boolean; readonly isOpened: boolean }) {
  const said: string[] = [];
  const page = {
    addressOf: (run: string | null) => `http://127.0.0.1/${run ?? ""}`,
    wasOpened: isOpened,
    untilClosed: async () => {},
    close: async () => {},
  };
  const asked = { flag: () => keep, required: () => "flow.yaml", cwd: "/w", session: { env: {} } };
  const output = { say: (text: string) => said.push(text), live: false };
  const call = { asked, output, faces: { server: async () => ({ openPage: async () => page }) } };
  const code = await besidePage(call as never, async (began) => {
    began("01A", (text) => said.push(text));
    return 3;
  });
  expect(code).toBe(3);
  return said.map((text) => text.slice(0, text.search(/[:;]/)));
}

it("says that the page goes with the run where it was not opened, or that it stays where that was asked for", async () => {
  expect(await saidBeside({ keep: false, isOpened: false })).toEqual([
    "Segno's page",
    "The run has ended, and its page with it",
  ]);
  expect(await saidBeside({ keep: false, isOpened: true })).toEqual(["Segno's page"]);
  for (const isOpened of [true, false])
    expect(await saidBeside({ keep: true, isOpened })).toEqual(["Segno's page", "The run has ended"]);
});
