import type { z } from 'zod';
import { abbreviate, describeValue, quote } from '../core/text/quote.ts';
import { fieldError, InferenceError, sentence } from '../errors.ts';
import { suggest } from '../core/text/suggest.ts';

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/** Messages for zod's issues, so that zod's own are never shown. */
const explainIssue: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'too_small':
      return explainBound(issue, issue.minimum, issue.inclusive === false ? 'more than' : 'at least');
    case 'too_big':
      return explainBound(issue, issue.maximum, issue.inclusive === false ? 'less than' : 'at most');
    case 'unrecognized_keys':
      return `there is no setting ${abbreviate(issue.keys.join(', '), 100)}`;
    default: {
      const { discriminator } = issue as { discriminator?: string };
      const value = discriminator === undefined ? issue.input : (issue.input as Json)[discriminator];
      return `expected ${expectationOf(issue) ?? 'another value'}, got ${describeValue(value)}`;
    }
  }
};

type Json = Readonly<Record<string, unknown>>;
type Described = z.core.$ZodRawIssue | z.core.$ZodIssue;

function expectationOf(issue: Described): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return typeNames[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return alternatives(issue.values);
    case 'invalid_format':
      return issue.pattern === undefined ? `the format ${issue.format}` : `a text like ${issue.pattern}`;
    case 'not_multiple_of':
      return `a multiple of ${issue.divisor}`;
    case 'invalid_key':
      return 'another key';
    case 'invalid_union': {
      const { options, errors } = issue as Partial<{ options: unknown[]; errors: z.core.$ZodIssue[][] }>;
      if (options !== undefined) return alternatives(options);
      const expected = (errors ?? []).map(([first]) => first && expectationOf(first));
      return expected.includes(undefined) || expected.length === 0 ? undefined : expected.join(' or ');
    }
    default:
      return undefined;
  }
}

function alternatives(values: readonly unknown[]): string {
  return values.map((value) => (typeof value === 'string' ? quote(value) : String(value))).join(' or ');
}

function explainBound(
  { origin, input }: { origin: string; input?: unknown },
  bound: number | bigint,
  relation: string,
): string {
  const unit = { string: 'character', array: 'item' }[origin];
  if (unit === undefined) return `expected a number of ${relation} ${bound}, got ${describeValue(input)}`;
  const { length } = input as string | unknown[];
  if (length === 0 && bound === 1 && origin === 'string') return 'expected a non-empty text, got ""';
  return `expected ${relation} ${bound} ${unit}${Number(bound) === 1 ? '' : 's'}, got ${length === 0 ? 'none' : length}`;
}

export function parseBody<T>(schema: z.ZodType<T>, body: unknown, name = 'The request body'): T {
  assertNoMisspeltField(schema, body);
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const issue = firstIssue(schema, body);
  if (issue.code === 'unrecognized_keys') {
    const unknown = formatPath([...issue.path, issue.keys[0]!]);
    throw fieldError(unknown || 'body', `unknown field ${abbreviate(issue.keys[0]!, maxNameLength)}`);
  }
  const { path, message, isUnsupported } = meantFault(issue);
  const code = isUnsupported ? 'unsupported_feature' : 'invalid_request';
  const param = formatPath(path);
  if (param !== '') throw fieldError(param, message, { code });
  throw new InferenceError(code, sentence(`${name} is not valid: ${message}`));
}

/** The first fault of an invalid value. Messages cost time, so only a second check creates them. */
export function firstIssue(schema: z.ZodType, value: unknown): z.core.$ZodIssue {
  return schema.safeParse(value, { error: explainIssue }).error!.issues[0]!;
}

/** For features that exist elsewhere and aren't offered here. */
export function unsupportedIssue(message: string): { code: 'custom'; message: string; params: object } {
  return { code: 'custom', message, params: { unsupported: true } };
}

export interface Fault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code: z.core.$ZodIssue['code'];
  readonly isUnsupported: boolean;
}

const otherTypes = new Set<string | undefined>(['invalid_type', 'invalid_value', 'invalid_union', 'custom']);

/** The fault of the alternative that was probably meant: the deepest fault, or one that isn't a type mismatch. */
export function meantFault(issue: z.core.$ZodIssue): Fault {
  if (issue.code === 'invalid_union') {
    const faults = issue.errors.flatMap(([first]) => (first ? [meantFault(first)] : []));
    const [farthest] = faults.toSorted((a, b) => b.path.length - a.path.length);
    const meant =
      farthest && farthest.path.length > 0 ? farthest : faults.find(({ code }) => !otherTypes.has(code));
    if (meant) return { ...meant, path: [...issue.path, ...meant.path] };
  }
  const isUnsupported = issue.code === 'custom' && issue.params?.['unsupported'] === true;
  return { path: issue.path, message: issue.message, code: issue.code, isUnsupported };
}

const maxNameLength = 60;

/** `['messages', 3, 'content']` → `messages[3].content`; ends before a client-defined key. */
function formatPath(path: readonly PropertyKey[]): string {
  let formatted = '';
  for (const part of path) {
    if (typeof part === 'number') formatted += `[${part}]`;
    else if (/^[a-z]\w*$/i.test(String(part)) && String(part).length <= maxNameLength)
      formatted += formatted === '' ? String(part) : `.${String(part)}`;
    else break;
  }
  return formatted;
}

const minNameLength = 7;
const maxNames = 64;

/**
 * Rejects a field one letter away from a known field. Unknown fields are otherwise ignored: clients of OpenAI's API send many.
 * Short names such as `top_a` are more often a different server's field than a typo.
 */
function assertNoMisspeltField(schema: z.ZodType, body: unknown): void {
  if (!('shape' in schema) || typeof body !== 'object' || body === null) return;
  const shape = schema.shape as Readonly<Record<string, unknown>>;
  let left = maxNames;
  for (const name in body) {
    if (Object.hasOwn(shape, name)) continue;
    // A client may send a million fields.
    if (left-- === 0) return;
    if (name.length < minNameLength || !/^\w{1,60}$/.test(name)) continue;
    const meant = suggest(name, Object.keys(shape), 1);
    if (meant !== undefined) throw fieldError(name, `unknown field, one letter away from ${meant}`);
  }
}
