// What a filter or test may be called is decided where they are defined; the parser
// is handed the two lists, so that a wrong name is a syntax error with a place.

export interface KnownNames {
  readonly hasFilter: (name: string) => boolean;
  readonly hasTest: (name: string) => boolean;
}
