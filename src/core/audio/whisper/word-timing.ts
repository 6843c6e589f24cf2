/** A word or a segment with its times in seconds. */
export interface Timed {
  readonly start: number;
  readonly end: number;
}

export interface TimedWord extends Timed {
  readonly text: string;
}

export interface TimedSegment<Word extends TimedWord = TimedWord> extends Timed {
  readonly words: readonly Word[];
}

export interface FitOptions {
  /** Typical word duration of this window, from `typicalDuration`. */
  readonly typical: number;
  /** End of the speech before the segment. */
  readonly spokenUntil: number;
}

const maxTypicalSeconds = 0.7;
/** Up to this difference, the times of words win over the times of their segment. */
const tolerance = 0.5;
const sentenceEnd = /[.。!！?？]["'”’)\]}»]*$/u;

/** The median duration of words, at most 0.7 s; 0 if all durations are 0. */
export function typicalDuration(words: readonly Timed[]): number {
  const durations = words
    .map(({ start, end }) => end - start)
    .filter((duration) => duration > 0)
    .sort((a, b) => a - b);
  const middle = durations.length / 2;
  const median = ((durations[Math.ceil(middle) - 1] ?? 0) + (durations[Math.floor(middle)] ?? 0)) / 2;
  return Math.min(maxTypicalSeconds, median);
}

/**
 * Shortens words after the end of a sentence, which seem to begin in the preceding pause, to twice the typical duration.
 * @see https://github.com/openai/whisper `add_word_timestamps` of `timing.py`
 */
export function shortenAfterSentences<Word extends TimedWord>(
  words: readonly Word[],
  typical: number,
): Word[] {
  return words.map((word, index) => {
    const isFirst = index > 0 && sentenceEnd.test(words[index - 1]!.text);
    return isFirst && typical > 0 ? { ...word, start: Math.max(word.start, word.end - 2 * typical) } : word;
  });
}

/**
 * Reconciles the times of a segment with the times of its words. A word after a pause is at most twice as long as a
 * typical word. If the first or last word extends far beyond the segment, it is cut; otherwise the segment takes the
 * times of its words.
 */
export function fitWords<Word extends TimedWord>(
  segment: Timed,
  words: readonly Word[],
  { typical, spokenUntil }: FitOptions,
): TimedSegment<Word> {
  if (words.length === 0) return { start: segment.start, end: segment.end, words };
  const fitted = shortenAfterPause(words, typical, spokenUntil);
  const [first] = fitted;
  const startsLate = segment.start < first!.end && segment.start - tolerance > first!.start;
  if (startsLate) {
    const start = Math.max(first!.start, Math.min(first!.end - typical, segment.start));
    fitted[0] = { ...first!, start };
  }
  const last = fitted.at(-1)!;
  const endsEarly = segment.end > last.start && segment.end + tolerance < last.end;
  if (endsEarly) fitted[fitted.length - 1] = { ...last, end: Math.max(last.start + typical, segment.end) };
  return { start: fitted[0]!.start, end: fitted.at(-1)!.end, words: fitted };
}

function shortenAfterPause<Word extends TimedWord>(
  words: readonly Word[],
  typical: number,
  spokenUntil: number,
): Word[] {
  const longest = 2 * typical;
  const fitted = [...words];
  const [first, second] = words;
  const isAfterPause = first!.end - spokenUntil > 2 * longest;
  const isLong = first!.end - first!.start > longest || (second && second.end - first!.start > 2 * longest);
  if (!isAfterPause || !isLong) return fitted;
  let { end } = first!;
  if (second && second.end - second.start > longest) {
    end = second.end - longest;
    fitted[1] = { ...second, start: end };
  }
  fitted[0] = { ...first!, end, start: Math.max(first!.start, end - longest) };
  return fitted;
}

/** Nobody can say more than a syllable in less time. */
const syllableSeconds = 0.2;

/** The fastest speakers reach 30. */
const maxCharactersPerSecond = 50;

/**
 * Whether a text is too long for its time, for example if the decoder completes a word of which the window has only the
 * last sound.
 */
export function isUnsayable(text: string, seconds: number): boolean {
  return seconds < syllableSeconds && text.trim().length > maxCharactersPerSecond * seconds;
}
