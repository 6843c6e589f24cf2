import { readMembers, readString } from './definition.ts';

/** Ids of special tokens by role. */
export interface TokenRoles {
  readonly bos?: number;
  readonly eos?: number;
  readonly unk?: number;
  readonly sep?: number;
  readonly pad?: number;
  readonly cls?: number;
  readonly mask?: number;
}

const roles = ['bos', 'eos', 'unk', 'sep', 'pad', 'cls', 'mask'] as const;

/**
 * Reads `bos_token` and the like of a `tokenizer_config.json`, each a text or an object with the member `content`.
 * Unknown tokens get no role.
 */
export function readTokenRoles(
  label: string,
  config: unknown,
  tokenToId: (token: string) => number | undefined,
): TokenRoles {
  const members = readMembers(label, config);
  const found: Partial<Record<(typeof roles)[number], number>> = {};
  for (const role of roles) {
    const name = `${label}.${role}_token`;
    const value = members[`${role}_token`];
    if (value === undefined || value === null) continue;
    const token =
      typeof value === 'string' ? value : readString(`${name}.content`, readMembers(name, value)['content']);
    const id = tokenToId(token);
    if (id !== undefined) found[role] = id;
  }
  return found;
}
