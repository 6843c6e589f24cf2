import { readInteger, readMembers } from '../definition.ts';
import { createVocabulary, highestTokenId, type Vocabulary } from '../vocabulary.ts';

/** Reads a vocabulary that maps tokens to ids. */
export function readVocabulary(label: string, value: unknown): Vocabulary {
  const members = readMembers(label, value);
  const tokens = Object.keys(members);
  const ids = new Int32Array(tokens.length);
  for (let index = 0; index < tokens.length; index++) {
    const id = members[tokens[index]!];
    // Labels cost more than the check.
    ids[index] =
      typeof id === 'number' && id >= 0 && id <= highestTokenId && Number.isInteger(id)
        ? id
        : readInteger(`${label}[${JSON.stringify(tokens[index])}]`, id, 0, highestTokenId);
  }
  return createVocabulary(tokens, ids);
}
