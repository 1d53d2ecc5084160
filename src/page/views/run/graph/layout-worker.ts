addEventListener("message", () => undefined);
