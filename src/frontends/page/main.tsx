// The page begins: a session, the keys, the first view.
import { effect } from "@preact/signals";
import { render } from "preact";
import { access, openPageSession, sessionId } from "./api/client.ts";
import { beginEarly } from "./api/early.ts";
import { ask } from "./api/stream.ts";
import { App } from "./shell/app.tsx";
import { watchGates } from "./shell/header.tsx";
import { followLinks } from "./state/address.ts";
import { listenForKeys } from "./state/keys.ts";
import "./style/index.css";

beginEarly(sessionId(), () => import("./views/run/index.tsx"));
followLinks();
listenForKeys();
watchGates();
effect(() => {
  if (access.value === "granted") ask();
});
void openPageSession();

const page = document.querySelector("#page");
if (page) render(<App />, page);
