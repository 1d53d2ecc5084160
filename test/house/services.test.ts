// Services are asked with a session and a request, and the session alone knows which store there is.
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { importsOf, sourceFiles, textOf } from "./imports.ts";
import { interfacesIn, withInherited } from "./interfaces.ts";
import { isWithin, wingOf } from "./wings.ts";

/** A session and a request are passed through every layer, so they stay small; inherited fields count. */
const MOST_FIELDS = 12;

const files = sourceFiles();

it("has only what every service needs beside the folders of services", () => {
  expect(files.filter((file) => dirname(file) === "services").sort()).toEqual([
    "services/refusals.ts",
    "services/request.ts",
  ]);
});

it("asks services with a session, and with requests that hold nothing of it", () => {
  // Features have services of their own, and the server has those that it alone asks. Coding agents are providers.
  const places = ["services", "features", "frontends/server/views", "frontends/server/commands"];
  const isOfServices = (place: string): boolean =>
    places.some((one) => isWithin(place, one)) && !isWithin(place, "features/coding-agents");
  const written = files.filter((file) => isOfServices(file)).flatMap((file) => interfacesIn(textOf(file)));
  const handedDown = written
    .filter(({ name, isExported }) => isExported && /Request$|^Session|^DriveListeners$/.test(name))
    .map((one) => withInherited(one, written));
  expect(handedDown.filter(({ fields }) => fields.size > MOST_FIELDS)).toEqual([]);
  const fieldsOf = (wanted: string) => handedDown.find(({ name }) => name === wanted)?.fields ?? new Set();
  const ofSession = fieldsOf("Session");
  expect(ofSession).toContain("cwd");
  // What `extends` brings counts, whole or in part.
  expect(fieldsOf("ResumeRequest")).toContain("inputs");
  expect([...fieldsOf("RetryRequest")]).toEqual(expect.arrayContaining(["ids", "maxIterations"]));
  // A request to make a project also has a field `project`.
  const isOfSession = (field: string): boolean => field !== "project" && ofSession.has(field);
  const mixed = handedDown.filter(
    ({ name, parents, fields }) =>
      !name.startsWith("Session") &&
      (parents.has("Session") || parents.has("DriveListeners") || [...fields].some(isOfSession)),
  );
  expect(mixed.map(({ name }) => name)).toEqual([]);
});

it("names a store in one place only: everybody else is given one", () => {
  // Of the fleet's store, the port by which a worker is handed its work is no part.
  const isOfStore = (file: string): boolean =>
    /^(storage\/\w+|features\/fleet\/(postgres|cells))\//.test(file) && !file.endsWith("/worker-host.ts");
  const named = files
    .flatMap(importsOf)
    .filter(({ from, to }) => isOfStore(to) && !isOfStore(from) && wingOf(from) !== "storage");
  expect([...new Set(named.map(({ from }) => from))]).toEqual(["services/session/store.ts"]);
});
