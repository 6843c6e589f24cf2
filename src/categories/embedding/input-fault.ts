import { describeValue } from '../../core/text/quote.ts';
import { maxEmbeddingInputs } from './parameters.ts';

interface Fault {
  readonly path: number[];
  readonly message: string;
}

/** Checks texts and token ids without zod: a request may hold millions of them. */
export function faultOfInput(value: unknown): Fault | undefined {
  if (typeof value === 'string') return faultOfText(value, []);
  if (!Array.isArray(value)) return faultAt([], 'a string or an array', value);
  if (value.length === 0) return { path: [], message: 'expected at least one text, got none' };
  if (typeof value[0] === 'number') return faultOfTokens(value, []);
  if (value.length > maxEmbeddingInputs)
    return { path: [], message: `expected at most ${maxEmbeddingInputs} texts, got ${value.length}` };
  const areTexts = typeof value[0] === 'string';
  for (const [index, entry] of (value as unknown[]).entries()) {
    const fault = areTexts ? faultOfText(entry, [index]) : faultOfTokens(entry, [index]);
    if (fault) return fault;
  }
  return undefined;
}

function faultOfText(value: unknown, path: number[]): Fault | undefined {
  if (typeof value !== 'string') return faultAt(path, 'a string', value);
  return value === '' ? faultAt(path, 'a non-empty text', value) : undefined;
}

function faultOfTokens(value: unknown, path: number[]): Fault | undefined {
  if (!Array.isArray(value)) return faultAt(path, 'a string or token ids', value);
  if (value.length === 0) return { path, message: 'expected at least one token id, got none' };
  const at = value.findIndex((id) => !Number.isSafeInteger(id) || id < 0);
  return at === -1 ? undefined : faultAt([...path, at], 'a token id', value[at]);
}

function faultAt(path: number[], expected: string, value: unknown): Fault {
  return { path, message: `expected ${expected}, got ${describeValue(value)}` };
}
