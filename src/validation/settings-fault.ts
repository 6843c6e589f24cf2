import type { z } from 'zod';
import { didYouMean } from '../core/text/suggest.ts';
import { firstIssue } from './issues.ts';

/**
 * Tells what is wrong with settings, by the place and the value of the first fault.
 *
 * @param known names that may stand in each object, for suggestions
 * @param at where the settings stand themselves
 * @returns `undefined` where nothing is
 */
export function settingsFault(
  schema: z.ZodType,
  value: unknown,
  known: readonly string[] = [],
  at: readonly PropertyKey[] = [],
): string | undefined {
  if (schema.safeParse(value).success) return undefined;
  const issue = firstIssue(schema, value);
  const { path, message } = deepest(issue);
  const hint = issue.code === 'unrecognized_keys' ? `.${didYouMean(issue.keys[0]!, known)}` : '';
  return `${[toPath([...at, ...path]), message].filter(Boolean).join(': ')}${hint}`;
}

interface Fault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Of alternatives the one that was probably meant: the one that gets farthest. */
function deepest(issue: z.core.$ZodIssue): Fault {
  if (issue.code === 'unrecognized_keys') {
    return { path: issue.path, message: `there is no setting ${issue.keys.join(', ')}` };
  }
  if (issue.code !== 'invalid_union') return issue;
  const inner = issue.errors.flatMap(([first]) => (first && first.path.length > 0 ? [deepest(first)] : []));
  const [best] = inner.sort((a, b) => b.path.length - a.path.length);
  return best ? { ...best, path: [...issue.path, ...best.path] } : issue;
}

/** `['auth', 'keys', 0]` → `auth.keys[0]` */
function toPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`,
    )
    .join('');
}
