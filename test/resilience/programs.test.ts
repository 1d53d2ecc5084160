// Programs without workflows that share breakers and dead letters: real processes with one store.
import { expect, test } from "vitest";
import { DeadLetterQueue, ErrorHandler, RetryPolicy } from "../../src/index.ts";
import { commandLine } from "../support/command-line.ts";
import { Workshop } from "./workshop.ts";

const DOWN = Object.assign(new Error("503"), { statusCode: 503 });

const handlerOf = (store: string): ErrorHandler =>
  new ErrorHandler({
    retry: new RetryPolicy({ maxRetries: 0 }),
    breakers: { failureThreshold: 2, recoverySeconds: 600, store },
    deadLetters: new DeadLetterQueue({ store }),
  });

test("what one process finds down, another does not call; a letter is retried by one of them", async () => {
  const shop = new Workshop({});
  const other = shop.process(`
    const queue = new DeadLetterQueue({ store: home });
    const handler = new ErrorHandler({
      retry: new RetryPolicy({ maxRetries: 0 }),
      breakers: { failureThreshold: 2, recoverySeconds: 600, store: home },
      deadLetters: queue,
    });
    const down = () => { throw Object.assign(new Error("503"), { statusCode: 503 }); };
    for (const taskId of ["t-1", "t-2"]) await handler.execute("http:api", down, { taskId }).catch(() => {});
    say((await handler.breaker("http:api").state).status);
    const [first] = await queue.list();
    await queue.retry(first.id, async () => {
      say("retrying");
      await told();
    });
    say("done");
    leave();
  `);
  expect(await other.line()).toBe("open");

  const handler = handlerOf(shop.home);
  let calls = 0;
  await expect(handler.execute("http:api", () => ++calls, { taskId: "t-3" })).rejects.toThrow("http:api is open");
  expect(calls).toBe(0);

  expect(await other.line()).toBe("retrying");
  const [first, ...rest] = await handler.deadLetters.list();
  expect(first).toMatchObject({ status: "retrying", context: { taskId: "t-1" }, error: { kind: "http.unavailable" } });
  expect(rest.map(({ context, error }) => [context.taskId, error.kind])).toEqual([
    ["t-2", "http.unavailable"],
    ["t-3", "circuit.open"],
  ]);
  await expect(handler.deadLetters.retry(first?.id ?? "", () => "mine")).rejects.toThrow("is being retried");
  other.tell();
  expect(await other.line()).toBe("done");
  expect(await handler.deadLetters.size()).toBe(2);
  await handler.close();
});

test("what a killed process was retrying is open again, and its probe blocks no other", async () => {
  const shop = new Workshop({});
  const handler = handlerOf(shop.home);
  const { id } = await handler.deadLetters.add(DOWN, { agentId: "api", attempt: 0 });
  const other = shop.process(
    `
    const never = () => new Promise(() => process.stdin.resume());
    const handler = new ErrorHandler({ breakers: { failureThreshold: 1, recoverySeconds: 0, store: home } });
    await handler.handle(Object.assign(new Error("503"), { statusCode: 503 }), { agentId: "api", attempt: 0 });
    await new DeadLetterQueue({ store: home }).retry(args[0], () =>
      handler.execute("api", () => {
        say("inside");
        return never();
      }),
    );
  `,
    id,
  );
  expect(await other.line()).toBe("inside");
  expect((await handler.breaker("api").state).status).toBe("half_open");
  await expect(handler.execute("api", () => "early")).rejects.toThrow("api is open");
  other.child.kill("SIGKILL");
  await other.ended;
  expect(await handler.execute("api", () => "mine")).toBe("mine");
  expect(await handler.deadLetters.retry(id, () => "mine")).toBe("mine");
  await handler.close();
});

test("the command line lists and drops such letters, says who can retry them, and closes their breakers", async () => {
  const shop = new Workshop({});
  const handler = handlerOf(shop.home);
  for (const taskId of ["t-1", "t-2"]) await handler.handle(DOWN, { agentId: "coding-01", taskId, attempt: 0 });
  const segno = async (...args: string[]) => {
    const { code, stdout, stderr } = await commandLine(args, { cwd: shop.dir, env: { SEGNO_HOME: shop.home } });
    return { code, said: stdout + stderr };
  };
  const [first] = await handler.deadLetters.list();
  const id = first?.id ?? "";
  const listed = await segno("dlq", "list");
  expect(listed.said).toMatch(/open +http\.unavailable +coding-01 +queue/);
  expect(listed.said).not.toContain("try");
  const shown = await segno("dlq", "show", id);
  expect(shown.said).toContain("queue, of a program");
  expect(shown.said).toContain("t-1");
  expect(await segno("dlq", "retry", id)).toEqual({ code: 2, said: expect.stringContaining("DeadLetterQueue.retry") });
  expect((await segno("dlq", "drop", id)).code).toBe(0);
  expect((await handler.deadLetters.list()).map(({ context }) => context.taskId)).toEqual(["t-2"]);
  expect((await segno("breakers", "reset", "coding-01")).code).toBe(0);
  expect((await handler.breaker("coding-01").state).status).toBe("closed");
  await handler.close();
});
