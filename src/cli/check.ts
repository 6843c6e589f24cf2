import type { z } from 'zod';
import { firstIssue } from '../server/issues.ts';
import { didYouMean } from './suggest.ts';
import { UsageError } from './usage-error.ts';

/**
 * Checks a value that a user has written.
 *
 * @param label where it stands, for messages: path of the file, or an option
 * @param known names that may stand in each object, for suggestions
 * @throws UsageError naming the place and the value
 */
export function check<T>(
  label: string,
  schema: z.ZodType<T>,
  value: unknown,
  known: readonly string[] = [],
): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = firstIssue(schema, value);
  const { path, message } = deepest(issue);
  const hint = issue.code === 'unrecognized_keys' ? `.${didYouMean(issue.keys[0]!, known)}` : '';
  throw new UsageError(`${label}: ${[toPath(path), message].filter(Boolean).join(': ')}${hint}`);
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
