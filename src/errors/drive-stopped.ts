// What keeps a whole drive from going on, whichever step meets it: what the store cannot read or write. It is no outcome of
// that step, so that no route, retry or group may take it.

export abstract class DriveStopped extends Error {}
