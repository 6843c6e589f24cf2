import { hasSpaces, toIsoLanguage } from '../../../../core/audio/whisper/languages.ts';
import type { WindowSegment } from '../../../../core/audio/whisper/segments.ts';
import {
  fitWords,
  shortenAfterSentences,
  typicalDuration,
  type TimedSegment,
} from '../../../../core/audio/whisper/word-timing.ts';
import { tokenTimes } from '../../../../core/audio/whisper/token-times.ts';
import { positionsToSeconds } from '../../../../core/audio/whisper/timestamps.ts';
import { splitWords } from '../../../../core/audio/whisper/words.ts';
import type { WhisperFolder } from './whisper-folder.ts';
import type { EncodedAudio } from '../../pipeline/text-decoder.ts';
import { startTokens, type StartOptions } from './request-tokens.ts';
import type { WhisperModel } from './whisper-model.ts';

export interface WordTimesOptions extends StartOptions {
  /** Positions of the window that are audio, not padding. */
  readonly positions: number;
  /** End of the speech before the window, in seconds from the window's beginning. */
  readonly spokenUntil: number;
  /** Aborts the current run. */
  readonly signal?: AbortSignal | undefined;
}

/** Empty if the graph doesn't output cross-attention. */
export function alignmentHeadsOf(model: WhisperModel, folder: WhisperFolder): (readonly [number, number])[] {
  const layers = new Set(model.alignmentLayers);
  const { alignmentHeads, decoderLayers, decoderHeads } = folder;
  if (alignmentHeads) return alignmentHeads.every(([layer]) => layers.has(layer)) ? [...alignmentHeads] : [];
  // Usually in the later half of the layers.
  return [...layers]
    .filter((layer) => layer >= decoderLayers / 2)
    .flatMap((layer) => Array.from({ length: decoderHeads }, (_, head) => [layer, head] as const));
}

/** By the decoder's cross-attention. @returns times in seconds from the window's beginning @see https://github.com/openai/whisper `timing.py` */
export async function findWordTimes(
  model: WhisperModel,
  folder: WhisperFolder,
  audio: EncodedAudio,
  segments: readonly WindowSegment[],
  { language, task, positions, spokenUntil, signal }: WordTimesOptions,
): Promise<TimedSegment[]> {
  const { endOfText, noTimestamps } = folder.vocabulary;
  const texts = segments.map(({ tokens }) => tokens.filter((token) => token < endOfText));
  const start = startTokens({ language, task }, folder);
  const text = texts.flat().slice(0, folder.contextLength - start.length - 2);
  if (text.length === 0 || positions < 1)
    return segments.map((segment) => ({ ...secondsOf(segment), words: [] }));
  const tokens = [...start, noTimestamps, ...text, endOfText];
  const heads = alignmentHeadsOf(model, folder);
  const layers = [...new Set(heads.map(([layer]) => layer))];
  const attention = await model.attend(audio, tokens, layers, { signal });
  const columns = folder.windowFrames / 2;
  const size = tokens.length * columns;
  const times = tokenTimes(
    heads.map(([layer, head]) => attention[layers.indexOf(layer)]!.subarray(head * size, (head + 1) * size)),
    {
      rows: tokens.length,
      columns,
      used: Math.min(positions, columns),
      start: start.length,
      end: tokens.length - 1,
    },
  );
  const written = task === 'translate' ? 'en' : language;
  const spaced = hasSpaces(written === undefined ? undefined : toIsoLanguage(written));
  let offset = 0;
  const at = (token: number): number => positionsToSeconds(times[offset + token] ?? times.at(-1)!);
  const words = texts.flatMap((ids, segment) => {
    const found = splitWords(ids, folder.textTokenizer.decode, { spaced }).map((word) => ({
      segment,
      text: word.text.trim(),
      start: at(word.spokenStart),
      end: at(word.spokenEnd),
    }));
    offset += ids.length;
    return found.filter((word) => word.text !== '');
  });
  const typical = typicalDuration(words);
  const shortened = shortenAfterSentences(words, typical);
  let until = spokenUntil;
  return segments.map((segment, index) => {
    const own = shortened.filter((word) => word.segment === index);
    const fitted = fitWords(secondsOf(segment), own, { typical, spokenUntil: until });
    if (own.length > 0) until = fitted.end;
    return fitted;
  });
}

function secondsOf({ start, end }: WindowSegment): { readonly start: number; readonly end: number } {
  return { start: positionsToSeconds(start), end: positionsToSeconds(end) };
}
