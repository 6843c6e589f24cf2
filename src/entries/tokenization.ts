export { createDetokenizer, type Detokenizer } from '../core/text/detokenizer.ts';
export { createStopMatcher, type StopMatch, type StopMatcher } from '../core/text/stop-sequences.ts';
export type { AddedToken } from '../core/tokenization/added-tokens.ts';
export type { Encoding } from '../core/tokenization/encoding.ts';
export type { EncodedPair, PairEncoder } from '../core/tokenization/pair-encoder.ts';
export type { Padding } from '../core/tokenization/padding.ts';
export type { TokenRoles } from '../core/tokenization/token-roles.ts';
export {
  createTokenizer,
  type CountOptions,
  type DecodeOptions,
  type EncodeOptions,
  type Frame,
  type Tokenizer,
} from '../core/tokenization/tokenizer.ts';
export type { Truncation } from '../core/tokenization/truncation.ts';
