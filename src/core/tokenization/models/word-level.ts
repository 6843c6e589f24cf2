import { readString, type Members } from '../definition.ts';
import { pushToken } from '../token-buffer.ts';
import type { Model } from './model.ts';
import { utf8LengthOf } from './utf8.ts';
import { readVocabulary } from './vocabulary-definition.ts';

/**
 * Reads a model of the type `WordLevel`: a word is a token, or unknown.
 *
 * @throws TypeError or RangeError for a malformed definition
 */
export function readWordLevel(label: string, members: Members): Model {
  const unknownToken = readString(`${label}.unk_token`, members['unk_token']);
  const vocabulary = readVocabulary(`${label}.vocab`, members['vocab']);
  const unknownId = vocabulary.findText(unknownToken);
  return {
    vocabulary,
    size: vocabulary.size,
    encodeInto(tokens, units, start, end) {
      const found = vocabulary.find(units, start, end);
      if (found === -1 && unknownId === -1) {
        throw new RangeError(`${label}.unk_token: ${JSON.stringify(unknownToken)} is not in the vocabulary`);
      }
      pushToken(tokens, found === -1 ? unknownId : found, utf8LengthOf(units, start, end));
    },
  };
}
