import { createJsonScanner } from '../core/text/json-scanner.ts';
import { InferenceError } from '../errors.ts';
import { findExactTexts, keepExactTexts, type ExactText } from './exact-texts.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses JSON as text or UTF-8. @param name for errors; default: the request body */
export function parseJson(body: Uint8Array | string, name?: string): unknown {
  const { value, exact } = parseWithTexts(body, name);
  keepExactTexts(value, exact);
  return value;
}

/** The value, and the exact texts to attach with `keepExactTexts` if the value is copied. */
export function parseWithTexts(
  body: Uint8Array | string,
  name = 'The request body',
): { readonly value: unknown; readonly exact: readonly ExactText[] } {
  const text = typeof body === 'string' ? body : decode(body);
  try {
    return { value: JSON.parse(text), exact: findExactTexts(text) };
  } catch (error) {
    if (text.trim() === '') throw new InferenceError('invalid_request', `${name} is empty.`);
    // The parser's own message quotes the body.
    throw new InferenceError('invalid_request', `${name} is not valid JSON: ${faultOf(text)}.`, {
      cause: error,
    });
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new InferenceError('invalid_request', 'The request body is not valid UTF-8.', { cause });
  }
}

function faultOf(text: string): string {
  const scanner = createJsonScanner();
  const end = scanner.scan(text);
  if (scanner.state === 'open') return 'it ends too early';
  const at = scanner.state === 'invalid' ? end : end + text.slice(end).search(/\S/);
  return `unexpected character at position ${at + 1}`;
}
