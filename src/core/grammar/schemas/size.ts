import { schemaFault } from './keywords.ts';

/** Maximum size of a schema as JSON, checked before any processing. */
export const schemaLimits = { depth: 64, values: 20_000, characters: 500_000 } as const;

/** @throws RangeError for a schema beyond `schemaLimits` */
export function assertSchemaSize(schema: unknown, path: string): void {
  const fault = schemaSizeFault(schema);
  if (fault !== undefined) throw schemaFault(path, fault);
}

/** The violated limit of a schema, if any. Not recursive, since the caller controls the depth. */
export function schemaSizeFault(schema: unknown): string | undefined {
  let level: unknown[] = [schema];
  let values = 0;
  let characters = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > schemaLimits.depth) return `expected at most ${schemaLimits.depth} levels of nesting`;
    const next: unknown[] = [];
    for (const value of level) {
      values++;
      if (typeof value === 'string') characters += value.length;
      if (typeof value !== 'object' || value === null) continue;
      const isArray = Array.isArray(value);
      // `Object.keys` of an array of a million values would create a million strings.
      const keys = isArray ? [] : Object.keys(value);
      if (values + next.length + (isArray ? value.length : keys.length) > schemaLimits.values)
        return `expected at most ${schemaLimits.values} values`;
      if (isArray) next.push(...(value as unknown[]));
      for (const key of keys) {
        characters += key.length;
        next.push((value as Record<string, unknown>)[key]);
      }
    }
    if (characters > schemaLimits.characters) return `expected at most ${schemaLimits.characters} characters`;
    level = next;
  }
  return undefined;
}

/** Remaining steps for reading schemas; shared by all schemas of one answer. */
export interface SchemaBudget {
  /** Steps for keywords and their combinations. */
  keywordSteps: number;
  /** Steps for patterns, formats and keys; each takes microseconds. */
  textSteps: number;
}

/** A budget that limits reading to a few hundred milliseconds. */
export function createSchemaBudget(): SchemaBudget {
  return { keywordSteps: 400_000, textSteps: 100_000 };
}
