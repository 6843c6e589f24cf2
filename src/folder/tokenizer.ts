import { byteOfCharacter } from '../core/tokenization/byte-characters.ts';
import { createTokenizer } from '../core/tokenization/tokenizer.ts';
import { InferenceError, orThrow, sentence } from '../errors.ts';
import { sourceError } from './model-files.ts';
import type { ModelFolder, TextTokenizer } from '../contracts/text-model.ts';

/** Creates a tokenizer from a model's `tokenizer.json`, without its truncation and padding. */
export function createTextTokenizer({
  tokenizer: definition,
}: Pick<ModelFolder, 'tokenizer' | 'tokenizerConfig'>): TextTokenizer {
  const tokenizer = withReason(() => createTokenizer(definition));
  const added = new Map(tokenizer.addedTokens.map((token) => [token.id, token]));
  const byteLevel = JSON.stringify(definition['decoder'] ?? null).includes('"ByteLevel"');
  const options = { addSpecialTokens: false, truncation: false, padding: false } as const;
  return {
    vocabularySize: tokenizer.vocabularySize,
    frame: tokenizer.frame ?? { before: [], after: [] },
    encode: (text) => Array.from(orThrow(() => tokenizer.toIds(text, options), toModelError)),
    *encodeSteps(text) {
      try {
        return Array.from(yield* tokenizer.toIdSteps(text));
      } catch (error) {
        throw toModelError(error as Error);
      }
    },
    pairWith: (text) => withReason(() => tokenizer.pairWith(text)),
    decode: tokenizer.decode,
    tokenToId: tokenizer.tokenToId,
    idToToken: tokenizer.idToToken,
    isSpecial: (id) => added.get(id)?.special ?? false,
    bytesOf(id) {
      const addedToken = added.get(id);
      if (addedToken) return utf8.encode(addedToken.content);
      const token = tokenizer.idToToken(id);
      if (token === undefined) return new Uint8Array();
      if (byteLevel) return Uint8Array.from(token, (character) => toByte(character));
      const byte = /^<0x([0-9A-F]{2})>$/.exec(token);
      return byte ? Uint8Array.of(Number.parseInt(byte[1]!, 16)) : utf8.encode(token.replaceAll('▁', ' '));
    },
  };
}

function withReason<T>(read: () => T): T {
  return orThrow(read, (cause) => sourceError(`tokenizer.json: ${cause.message}`, cause));
}

/** A text that exceeds the step limit of the model's patterns isn't the client's fault. */
function toModelError(cause: Error): InferenceError {
  return new InferenceError(
    'internal',
    sentence(`The model's tokenizer.json can't split this text: ${cause.message}`),
    { cause },
  );
}

const utf8 = new TextEncoder();

/** A question mark for a character that represents no byte. */
function toByte(character: string): number {
  const byte = byteOfCharacter[character.charCodeAt(0)] ?? -1;
  return byte === -1 ? 63 : byte;
}

/** The text of a special token, which configs contain as text or as an object. */
export function tokenText(token: unknown): string | undefined {
  const text = typeof token === 'object' && token !== null && 'content' in token ? token.content : token;
  return typeof text === 'string' ? text : undefined;
}
