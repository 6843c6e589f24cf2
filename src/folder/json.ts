import { readFile } from 'node:fs/promises';
import type { Json } from '../contracts/files.ts';
import { orElse } from '../errors.ts';

/** The object in a JSON text, if any. */
export function parseJson(text: string | undefined): Json | undefined {
  const value = orElse<unknown, undefined>(() => JSON.parse(text ?? ''), undefined);
  return typeof value === 'object' && value !== null ? (value as Json) : undefined;
}

/** The object in a JSON file; `undefined` if missing or damaged. */
export async function readJsonFile(path: string): Promise<Json | undefined> {
  return parseJson(await readFile(path, 'utf8').catch(() => undefined));
}
