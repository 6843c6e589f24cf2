import { type Members, type Readers, readByType, readMembers } from '../definition.ts';
import { readBpe } from './bpe.ts';
import type { Model } from './model.ts';
import { readUnigram } from './unigram.ts';
import { readWordLevel } from './word-level.ts';
import { readWordPiece } from './word-piece.ts';

const readers: Readers<Model> = {
  BPE: readBpe,
  WordPiece: readWordPiece,
  WordLevel: readWordLevel,
  Unigram: readUnigram,
};

/** @throws TypeError or RangeError for a malformed definition or an unknown type */
export function readModel(label: string, value: unknown): Model {
  return readByType(label, value, readers, guessType(readMembers(label, value)));
}

/** Files from before types were written down. */
function guessType(members: Members): string | undefined {
  if (Array.isArray(members['vocab'])) return 'Unigram';
  if ('merges' in members) return 'BPE';
  if ('max_input_chars_per_word' in members) return 'WordPiece';
  return 'vocab' in members ? 'WordLevel' : undefined;
}
