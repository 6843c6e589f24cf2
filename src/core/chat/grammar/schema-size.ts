import { schemaFault } from './schema-keywords.ts';

/** Bounds of a schema as JSON: deeper or larger ones are refused before anything else looks at them. */
export const schemaLimits = { depth: 64, values: 20_000, characters: 500_000 } as const;

/**
 * Without recursion, since the depth is the caller's choice.
 *
 * @throws RangeError for a schema beyond `schemaLimits`
 */
export function assertSchemaSize(schema: unknown, path: string): void {
  let level: unknown[] = [schema];
  let values = 0;
  let characters = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > schemaLimits.depth)
      throw schemaFault(path, `expected at most ${schemaLimits.depth} levels of nesting`);
    const next: unknown[] = [];
    for (const value of level) {
      values++;
      if (typeof value === 'string') characters += value.length;
      if (typeof value !== 'object' || value === null) continue;
      for (const [key, entry] of Object.entries(value)) {
        characters += key.length;
        next.push(entry);
      }
      if (values + next.length > schemaLimits.values) {
        throw schemaFault(path, `expected at most ${schemaLimits.values} values`);
      }
    }
    if (characters > schemaLimits.characters) {
      throw schemaFault(path, `expected at most ${schemaLimits.characters} characters`);
    }
    level = next;
  }
}
