import type { ModelTraits } from './tool-calls/format.ts';

/** A text or a pattern that a template holds, or several that it holds together. */
export type Evidence = string | RegExp | readonly (string | RegExp)[];

/**
 * Recognizes the models of a format by their template.
 * @param token a token that only their tokenizers have
 */
export function recognizes(evidence: Evidence, token?: string): (model: ModelTraits) => boolean {
  const parts = [evidence].flat();
  return ({ template, hasToken }) =>
    (token !== undefined && hasToken(token)) ||
    parts.every((part) => (typeof part === 'string' ? template.includes(part) : part.test(template)));
}
