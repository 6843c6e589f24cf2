import { contextLengthError, fieldError, type InferenceError } from '../../../errors.ts';
import type { TextTokenizer } from '../../../folder/tokenizer.ts';
import type { TokenSequence } from '../encoder.ts';

/** Tokenization of inputs. */
export interface TokenSequenceOptions {
  readonly tokenizer: TextTokenizer;
  /** Ids below it exist. */
  readonly vocabularySize: number;
  /** Most tokens of one input. */
  readonly contextLength: number;
  /** Prefix of every text; token ids stay as they are. */
  readonly prompt: string;
  /** Whether longer inputs are cut at their end; otherwise they are refused. */
  readonly truncate: boolean;
  /** The name of the input in error messages. */
  readonly param: string;
}

/** A text of more characters than this for each token that fits is too long without looking closer. */
const mostCharactersPerToken = 32;

/** Encodes one input. A text gets the special tokens that the model expects around it, also when it is cut. */
export function toTokenSequence(
  input: string | readonly number[],
  options: TokenSequenceOptions,
): TokenSequence {
  return typeof input === 'string' ? encodeText(input, options) : checkIds(input, options);
}

function encodeText(text: string, options: TokenSequenceOptions): TokenSequence {
  const { tokenizer, contextLength, prompt, truncate, param } = options;
  const { before, after } = tokenizer.frame;
  const room = contextLength - before.length - after.length;
  const mostCharacters = contextLength * mostCharactersPerToken;
  // Encoding takes time for every character, and the caller chooses how many there are.
  if (text.length > mostCharacters && !truncate) {
    throw tooLong(param, `the text has ${text.length} characters`, contextLength);
  }
  const body = tokenizer.encode(prompt + text.slice(0, mostCharacters));
  if (body.length > room && !truncate) {
    throw tooLong(param, `the text has ${body.length + before.length + after.length} tokens`, contextLength);
  }
  const ids = [...before, ...(body.length > room ? body.slice(0, room) : body), ...after];
  if (ids.length === 0) throw fieldError(param, 'expected a text that has tokens');
  const promptTokens = prompt === '' ? 0 : before.length + tokenizer.encode(prompt).length;
  return { ids, promptTokens: Math.min(promptTokens, ids.length - 1) };
}

function checkIds(ids: readonly number[], options: TokenSequenceOptions): TokenSequence {
  const { vocabularySize, contextLength, truncate, param } = options;
  const unknown = ids.find((id) => id >= vocabularySize);
  if (unknown !== undefined)
    throw fieldError(param, `expected token ids below ${vocabularySize}, got ${unknown}`);
  if (ids.length > contextLength && !truncate) {
    throw tooLong(param, `there are ${ids.length} tokens`, contextLength);
  }
  return { ids: ids.slice(0, contextLength), promptTokens: 0 };
}

function tooLong(param: string, found: string, contextLength: number): InferenceError {
  return contextLengthError(param, contextLength, `${param}: ${found}; shorten it or set truncate to true`);
}
