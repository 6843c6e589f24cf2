import { type Members, byType, readString } from '../definition.ts';
import { readBpe } from './bpe.ts';
import { createUnknownId, type Model, readVocabulary } from './model.ts';
import { readUnigram } from './unigram.ts';
import { readWordPiece } from './word-piece.ts';
import { pushToken } from '../token-buffer.ts';
import { utf8LengthOf } from './utf8.ts';

/** @throws TypeError or RangeError for a malformed definition or an unknown type */
export const readModel = byType<Model>(
  {
    BPE: readBpe,
    WordPiece: readWordPiece,
    WordLevel: readWordLevel,
    Unigram: readUnigram,
  },
  guessType,
);

/** For files older than the member `type`. */
function guessType(members: Members): string | undefined {
  if (Array.isArray(members['vocab'])) return 'Unigram';
  if ('merges' in members) return 'BPE';
  if ('max_input_chars_per_word' in members) return 'WordPiece';
  return 'vocab' in members ? 'WordLevel' : undefined;
}

/** Reads a model of the type `WordLevel`: a word is a token, or unknown. */
function readWordLevel(label: string, members: Members): Model {
  const unknownToken = readString(`${label}.unk_token`, members['unk_token']);
  const vocabulary = readVocabulary(`${label}.vocab`, members['vocab']);
  const unknownId = createUnknownId(label, unknownToken, vocabulary);
  return {
    vocabulary,
    size: vocabulary.size,
    encodeInto(tokens, units, start, end) {
      const found = vocabulary.find(units, start, end);
      pushToken(tokens, found === -1 ? unknownId() : found, utf8LengthOf(units, start, end));
    },
  };
}
