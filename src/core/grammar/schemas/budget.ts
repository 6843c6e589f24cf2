/** Steps that are left for reading schemas; shared by all schemas of one answer. */
export interface SchemaBudget {
  /** Steps for keywords and their combinations. */
  keywordSteps: number;
  /** Steps for patterns, formats and keys; each takes microseconds. */
  textSteps: number;
}

/** A budget that bounds reading to a few hundred milliseconds, whatever the schemas say. */
export function createSchemaBudget(): SchemaBudget {
  return { keywordSteps: 400_000, textSteps: 100_000 };
}
