/** Quality of a decoded window. */
export interface DecodingQuality {
  readonly averageLogprob: number;
  /** Bytes of the text over its bytes when compressed. */
  readonly compressionRatio: number;
  readonly noSpeechProbability: number;
}

/** Text above this repeats itself. */
export const mostCompression = 2.4;

/** Text below this is a guess. */
const leastAverageLogprob = -1;

/** Above this the model thinks that nobody speaks. */
export const mostNoSpeech = 0.6;

/** A text below this, where silence is likelier than speech, is made up. */
const madeUp = { averageLogprob: -1.5, noSpeechProbability: 0.5 };

/** Above this temperature a text is too uncertain to be the context of what follows. */
export const mostTrustedTemperature = 0.5;

const fallbackTemperatures = [0, 0.2, 0.4, 0.6, 0.8, 1];

/**
 * The temperatures that a window is decoded at, one after the other, until the result is good enough. Only 0 has a fallback:
 * another temperature is what somebody asked for.
 */
export function temperatureLadder(asked: number): readonly number[] {
  return asked === 0 ? fallbackTemperatures : [asked];
}

/** Whether nobody speaks in a window, by what the model thinks of the window and of its own text. */
export function isSilence({ averageLogprob, noSpeechProbability }: DecodingQuality): boolean {
  return noSpeechProbability > mostNoSpeech && averageLogprob <= leastAverageLogprob;
}

/**
 * Whether a window has to be decoded again at a higher temperature: its text repeats itself or is a guess, and the reason is
 * not that nobody speaks.
 * @see https://arxiv.org/abs/2212.04356 section 4.5
 */
export function needsFallback(quality: DecodingQuality): boolean {
  if (isSilence(quality)) return false;
  return quality.compressionRatio > mostCompression || quality.averageLogprob < leastAverageLogprob;
}

/** Whether a text that no temperature made better is what a model makes of music or noise. */
export function isGibberish({ averageLogprob, noSpeechProbability }: DecodingQuality): boolean {
  return averageLogprob < madeUp.averageLogprob && noSpeechProbability > madeUp.noSpeechProbability;
}

/**
 * The best of several decodings of a window that all need a fallback: likeliest of those that don't repeat themselves,
 * of all where every one does.
 */
export function leastBad<Q extends DecodingQuality>(decodings: readonly Q[]): Q {
  const varied = decodings.filter(({ compressionRatio }) => compressionRatio <= mostCompression);
  const choice = varied.length > 0 ? varied : decodings;
  return choice.reduce((best, next) => (next.averageLogprob > best.averageLogprob ? next : best));
}
