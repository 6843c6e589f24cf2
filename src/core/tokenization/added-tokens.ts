import { readBoolean, readList, readMembers, readString } from './definition.ts';
import type { Model } from './models/model.ts';

/** A token outside the model, matched in a text before anything else. */
export interface AddedToken {
  readonly id: number;
  readonly content: string;
  /** Matches only without an adjacent letter, digit or `_`. */
  readonly singleWord: boolean;
  /** Includes the preceding white space. */
  readonly stripsLeft: boolean;
  /** Includes the following white space. */
  readonly stripsRight: boolean;
  /** Matches in the normalized text, and is normalized too. */
  readonly normalized: boolean;
  /** Skipped by `decode` with `skipSpecialTokens`. */
  readonly special: boolean;
  /** The text to search for; also the decoder's input. */
  readonly pattern: string;
}

/**
 * Reads the list `added_tokens`. As in the Rust library, its ids are ignored: a token in the model's vocabulary keeps
 * its id, the remaining tokens get the next free ids.
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
