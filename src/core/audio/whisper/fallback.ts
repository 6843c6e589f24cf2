export interface DecodingQuality {
  readonly averageLogprob: number;
  /** Bytes of the text divided by its bytes when compressed. */
  readonly compressionRatio: number;
  readonly noSpeechProbability: number;
}

/** Text above this repeats itself. */
export const maxCompressionRatio = 2.4;

/** Text below this is a guess. */
const minAverageLogprob = -1;

/** Above this the model assumes silence. */
export const maxNoSpeechProbability = 0.6;

/** A text below this log probability is invented, if silence is more likely than speech. */
const madeUp = { averageLogprob: -1.5, noSpeechProbability: 0.5 };

/** Above this temperature a text is too uncertain to be the context of the following text. */
export const maxContextTemperature = 0.5;

const fallbackTemperatures = [0, 0.2, 0.4, 0.6, 0.8, 1];

/**
 * The temperatures at which a window is decoded in turn, until the result is good enough. Only 0 has a fallback: the
 * caller requested any other temperature explicitly.
 */
export function temperatureLadder(asked: number): readonly number[] {
  return asked === 0 ? fallbackTemperatures : [asked];
}

/** Whether a window is silent, by the model's estimates for the window and for its text. */
export function isSilence({ averageLogprob, noSpeechProbability }: DecodingQuality): boolean {
  return noSpeechProbability > maxNoSpeechProbability && averageLogprob <= minAverageLogprob;
}

/**
 * Whether a window has to be decoded again at a higher temperature: its text repeats itself or is a guess, and the
 * window isn't silent.
 * @see https://arxiv.org/abs/2212.04356 section 4.5
 */
export function needsFallback(quality: DecodingQuality): boolean {
  if (isSilence(quality)) return false;
  return quality.compressionRatio > maxCompressionRatio || quality.averageLogprob < minAverageLogprob;
}

/** Whether a text that stayed bad at all temperatures is the model's response to music or noise. */
export function isGibberish({ averageLogprob, noSpeechProbability }: DecodingQuality): boolean {
  return averageLogprob < madeUp.averageLogprob && noSpeechProbability > madeUp.noSpeechProbability;
}

/**
 * The best of several decodings of a window that all need a fallback: the likeliest without repetitions, or the
 * likeliest of all if every decoding repeats itself.
 */
export function bestFallback<Q extends DecodingQuality>(decodings: readonly Q[]): Q {
  const varied = decodings.filter(({ compressionRatio }) => compressionRatio <= maxCompressionRatio);
  const choice = varied.length > 0 ? varied : decodings;
  return choice.reduce((best, next) => (next.averageLogprob > best.averageLogprob ? next : best));
}

/** A text with this many repetitions, over this many tokens, keeps repeating. */
const [minRepeats, minTokens] = [4, 32] as const;

/**
 * Creates a function that reads a text token by token, and tells whether it ends in at least four repetitions over at least 32
 * tokens.
 * @param maxTokens maximum length of the text
 */
export function createLoopDetector(maxTokens: number): (token: number) => boolean {
  const text = new Int32Array(maxTokens);
  /** For each period, how many tokens at the end equal the token one period earlier. */
  const equal = new Int32Array(Math.floor(maxTokens / minRepeats) + 1);
  let length = 0;
  return (token) => {
    let isLoop = false;
    for (let period = 1; period < equal.length; period++) {
      equal[period] = period <= length && text[length - period] === token ? equal[period]! + 1 : 0;
      const repeated = equal[period]! + period;
      isLoop ||= equal[period]! > 0 && repeated >= Math.max(minTokens, minRepeats * period);
    }
    text[length++] = token;
    return isLoop;
  };
}
