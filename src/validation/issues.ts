import type { z } from 'zod';
import { InferenceError } from '../errors.ts';

const longestQuote = 60;

/** A value for an error message: short, and without its content where it could be large. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') {
    return JSON.stringify(value.length > longestQuote ? `${value.slice(0, longestQuote)}…` : value);
  }
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

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

/** Words for the issues that zod finds; it has its own for the rest. */
const explainIssue: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${typeNames[issue.expected] ?? issue.expected}, got ${describeValue(issue.input)}`;
    case 'invalid_value':
      return `expected ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}, got ${describeValue(issue.input)}`;
    case 'invalid_union':
      return issue.note === undefined
        ? `expected another type, got ${describeValue(issue.input)}`
        : undefined;
    default:
      return undefined;
  }
};

/**
 * Checks a request body.
 *
 * @throws InferenceError `invalid_request` for the first fault, with its place as `param`; `unsupported_feature` where
 * the schema says so
 */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const { path, message, isUnsupported } = innermost(firstIssue(schema, body));
  const param = formatPath(path);
  throw new InferenceError(
    isUnsupported ? 'unsupported_feature' : 'invalid_request',
    param === '' ? `The request body is not valid: ${message}.` : `${param}: ${message}.`,
    param === '' ? {} : { param },
  );
}

/** The first fault of a value that is known to have one. Words cost time, so only a second check finds them. */
export function firstIssue(schema: z.ZodType, value: unknown): z.core.$ZodIssue {
  return schema.safeParse(value, { error: explainIssue }).error!.issues[0]!;
}

/** An issue of a custom check that means: this exists elsewhere and is not offered here. */
export function unsupportedIssue(message: string): { code: 'custom'; message: string; params: object } {
  return { code: 'custom', message, params: { unsupported: true } };
}

interface Fault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly isUnsupported: boolean;
}

function innermost(issue: z.core.$ZodIssue): Fault {
  if (issue.code === 'invalid_union') {
    // The alternative that was meant is the one that doesn't fail at once.
    const meant = issue.errors.find(
      ([first]) => first && !(first.code === 'invalid_type' && first.path.length === 0),
    );
    if (meant?.[0]) {
      const fault = innermost(meant[0]);
      return { ...fault, path: [...issue.path, ...fault.path] };
    }
  }
  const isUnsupported = issue.code === 'custom' && issue.params?.['unsupported'] === true;
  return { path: issue.path, message: issue.message, isUnsupported };
}

/** `['messages', 3, 'content']` → `messages[3].content`; ends before a key that the client made up. */
function formatPath(path: readonly PropertyKey[]): string {
  let formatted = '';
  for (const part of path) {
    if (typeof part === 'number') formatted += `[${part}]`;
    else if (/^[a-z]\w*$/i.test(String(part)))
      formatted += formatted === '' ? String(part) : `.${String(part)}`;
    else break;
  }
  return formatted;
}
