import { likeliestToken, type LikeliestToken } from '../../../../core/audio/likeliest-token.ts';
import {
  maxCompressionRatio,
  type DecodingQuality,
  createLoopDetector,
} from '../../../../core/audio/whisper/fallback.ts';
import { applyTimestampRules } from '../../../../core/audio/whisper/timestamp-rules.ts';
import { framesPerPosition } from '../../../../core/audio/whisper/timestamps.ts';
import { candidatesInto, createCandidates } from '../../../../core/sampling/candidates.ts';
import { drawToken } from '../../../../core/sampling/draw.ts';
import { logProbabilitiesOf } from '../../../../core/sampling/log-probabilities.ts';
import type { Rng } from '../../../../core/sampling/rng.ts';
import { applyTemperature } from '../../../../core/sampling/temperature.ts';
import { assertWanted } from '../../../../errors.ts';
import { compressionRatio } from '../../pipeline/compression-ratio.ts';
import type { WhisperFolder } from './whisper-folder.ts';
import type { WhisperText } from './whisper-model.ts';

export interface DecodedWindow extends DecodingQuality {
  /** With timestamps, without prefix and `<|endoftext|>`. */
  readonly tokens: readonly number[];
  readonly temperature: number;
  /** It ends in a loop that was cut short. */
  readonly isCut: boolean;
}

export interface DecodeOptions {
  /** 0 takes the likeliest token. */
  readonly temperature: number;
  /** Stop a repeating text, which would run to the last token and be rejected. */
  readonly cutsLoops: boolean;
  readonly rng: Rng;
  readonly noSpeechProbability: number;
  readonly signal?: AbortSignal | undefined;
}

export type WindowDecoder = ReturnType<typeof createWindowDecoder>;

export function createWindowDecoder(folder: WhisperFolder) {
  const { vocabulary, vocabularySize, contextLength } = folder;
  const { endOfText } = vocabulary;
  const suppressed = suppressedTokens(folder);

  const chooseFrom = (logits: Float32Array, tokens: readonly number[]): void => {
    for (const token of suppressed) logits[token] = -Infinity;
    if (tokens.length === 0) for (const token of folder.beginSuppressTokens) logits[token] = -Infinity;
    applyTimestampRules(logits, tokens, vocabulary);
  };

  const candidates = createCandidates(vocabularySize);
  const draw = (logits: Float32Array, temperature: number, rng: Rng): LikeliestToken | undefined => {
    if (candidatesInto(candidates, logits).size === 0) return undefined;
    const id = drawToken(applyTemperature(candidates, temperature), rng.next());
    return { id, logprob: logProbabilitiesOf(logits, id).logProbability };
  };

  return {
    /** @param prefix rewound before returning */
    async decode(prefix: WhisperText, options: DecodeOptions): Promise<DecodedWindow> {
      const { temperature, cutsLoops, rng, noSpeechProbability, signal } = options;
      const room = Math.min(Math.floor(contextLength / 2), contextLength - prefix.length);
      let logits: Float32Array = prefix.logits.slice();
      const tokens: number[] = [];
      const isLoop = createLoopDetector(room);
      const compression = (): number => compressionRatio(textOf(tokens, folder).trim());
      let logprobs = 0;
      let isCut = false;
      while (tokens.length < room && !isCut) {
        chooseFrom(logits, tokens);
        const chosen = temperature === 0 ? likeliest(logits) : draw(logits, temperature, rng);
        if (chosen === undefined) break;
        const { id: token, logprob } = chosen;
        logprobs += logprob;
        if (token === endOfText) break;
        tokens.push(token);
        isCut = cutsLoops && token < endOfText && isLoop(token) && compression() > maxCompressionRatio;
        assertWanted(signal);
        if (tokens.length < room && !isCut) logits = await prefix.step(token, { signal });
      }
      prefix.rewind();
      return {
        tokens,
        temperature,
        isCut,
        noSpeechProbability,
        averageLogprob: logprobs / (tokens.length + 1),
        compressionRatio: compression(),
      };
    },
  };
}

/** `undefined` if every token is suppressed. */
function likeliest(logits: Float32Array): LikeliestToken | undefined {
  const chosen = likeliestToken(logits);
  return logits[chosen.id] === -Infinity ? undefined : chosen;
}

export function textOf(tokens: readonly number[], { textTokenizer, vocabulary }: WhisperFolder): string {
  const text = tokens.filter((token) => token < vocabulary.endOfText);
  return text.length === 0 ? '' : textTokenizer.decode(text);
}

/** Including control tokens, and timestamps beyond the window. */
function suppressedTokens(folder: WhisperFolder): number[] {
  const { vocabularySize, windowFrames, suppressTokens } = folder;
  const { endOfText, timestampBegin } = folder.vocabulary;
  const lastTimestamp = timestampBegin + windowFrames / framesPerPosition;
  const control = Array.from({ length: timestampBegin - endOfText - 1 }, (_, index) => endOfText + 1 + index);
  const beyond = Array.from(
    { length: Math.max(0, vocabularySize - lastTimestamp - 1) },
    (_, index) => lastTimestamp + 1 + index,
  );
  return [...suppressTokens.filter((token) => token < vocabularySize), ...control, ...beyond];
}
