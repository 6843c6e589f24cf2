import { readBoolean, readList, readMembers, readString } from './definition.ts';
import type { Model } from './models/model.ts';

/** A token on top of those of the model, found in a text before everything else. */
export interface AddedToken {
  readonly id: number;
  readonly content: string;
  /** Only where no letter, digit or `_` touches it. */
  readonly singleWord: boolean;
  /** Takes the white space before it too. */
  readonly stripsLeft: boolean;
  /** Takes the white space after it too. */
  readonly stripsRight: boolean;
  /** Looked for in the normalized text, and normalized itself. */
  readonly normalized: boolean;
  /** Left out by `decode` where special tokens are to be left out. */
  readonly special: boolean;
  /** The text that is searched for, and the text that the decoder gets. */
  readonly pattern: string;
}

/**
 * Reads the list `added_tokens`. As in the Rust library, ids that are written there don't count: a token that the model has
 * keeps its id, others are numbered on.
 */
export function readAddedTokens(
  label: string,
  value: unknown,
  { model, normalize }: { model: Model; normalize: (text: string) => string },
): readonly AddedToken[] {
  const tokens = new Map<number, AddedToken>();
  const idOfContent = new Map<string, number>();
  let nextId = model.size;
  for (const [index, item] of readList(label, value ?? []).entries()) {
    const at = `${label}[${index}]`;
    const members = readMembers(at, item);
    const content = readString(`${at}.content`, members['content']);
    if (content === '') continue;
    const flag = (name: string, fallback: boolean): boolean =>
      readBoolean(`${at}.${name}`, members[name], fallback);
    const special = flag('special', false);
    const normalized = flag('normalized', !special);
    const known = idOfContent.get(content) ?? model.vocabulary.findText(content);
    const id = known === -1 ? nextId++ : known;
    idOfContent.set(content, id);
    tokens.set(id, {
      id,
      content,
      singleWord: flag('single_word', false),
      stripsLeft: flag('lstrip', false),
      stripsRight: flag('rstrip', false),
      normalized,
      special,
      pattern: normalized ? normalize(content) : content,
    });
  }
  return [...tokens.values()];
}
