import { assertList, assertObject, assertText } from '../assert-values.ts';
import { assertSeconds } from './assert.ts';
import type { VoiceRegion } from './voice-activity.ts';

/** A text and its times, in seconds from the start of the audio. */
export interface Subtitle extends VoiceRegion {
  /** Plain text; may have several lines. */
  readonly text: string;
  /** Name of the speaker, plain text. */
  readonly speaker?: string | undefined;
}

/**
 * Writes subtitles in the SubRip format: ordered by start, without empty ones. The format has no escapes, so `-->`,
 * which separates times, becomes `->`; a subtitle that ends before it begins is shown for a millisecond. A speaker's
 * text begins with the name and a colon.
 *
 * @throws TypeError for times that aren't numbers and text that isn't a string
 * @throws RangeError for times that are negative or not finite
 * @see https://www.matroska.org/technical/subtitles.html#srt-subtitles
 *
 * @example
 * ```ts
 * toSrt([{ startSeconds: 0, endSeconds: 1.5, text: ' Hello.' }]); // '1\n00:00:00,000 --> 00:00:01,500\nHello.\n\n'
 * ```
 */
export function toSrt(subtitles: readonly Subtitle[]): string {
  return toCues(subtitles)
    .map(({ start, end, lines, speaker }, index) => {
      const text = `${speaker === '' ? '' : `${speaker}: `}${lines.join('\n')}`.replace(/-{2,}>/g, '->');
      return `${index + 1}\n${timestamp(start, ',')} --> ${timestamp(end, ',')}\n${text}\n\n`;
    })
    .join('');
}

/**
 * Writes subtitles in the WebVTT format: ordered by start, without empty ones. Special characters are escaped; a
 * subtitle that ends before it begins is shown for a millisecond. A speaker's text has a voice tag.
 *
 * @throws TypeError for times that aren't numbers and text that isn't a string
 * @throws RangeError for times that are negative or not finite
 * @see https://www.w3.org/TR/webvtt1/#syntax
 *
 * @example
 * ```ts
 * toVtt([{ startSeconds: 0, endSeconds: 1.5, text: 'Q&A' }]); // 'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nQ&amp;A\n\n'
 * ```
 */
export function toVtt(subtitles: readonly Subtitle[]): string {
  const cues = toCues(subtitles).map(({ start, end, lines, speaker }) => {
    const voice = speaker === '' ? '' : `<v ${escaped(speaker)}>`;
    return `${timestamp(start, '.')} --> ${timestamp(end, '.')}\n${voice}${escaped(lines.join('\n'))}\n\n`;
  });
  return `WEBVTT\n\n${cues.join('')}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Times in milliseconds. */
interface Cue {
  readonly start: number;
  readonly end: number;
  /** At least one, without empty lines: an empty line would end the cue. */
  readonly lines: readonly string[];
  /** One line; empty without a name. */
  readonly speaker: string;
}

function toCues(subtitles: readonly Subtitle[]): Cue[] {
  const cues: Cue[] = [];
  assertList('subtitles', subtitles, assertObject);
  for (const [index, { startSeconds, endSeconds, text, speaker = '' }] of subtitles.entries()) {
    assertSeconds(`subtitles[${index}].startSeconds`, startSeconds);
    assertSeconds(`subtitles[${index}].endSeconds`, endSeconds);
    assertText(`subtitles[${index}].text`, text);
    assertText(`subtitles[${index}].speaker`, speaker);
    const lines = linesOf(text);
    const start = Math.round(startSeconds * 1000);
    const end = Math.max(start + 1, Math.round(endSeconds * 1000));
    if (lines.length > 0) cues.push({ start, end, lines, speaker: linesOf(speaker).join(' ') });
  }
  return cues.sort((a, b) => a.start - b.start);
}

function linesOf(text: string): string[] {
  return text
    .replaceAll('\0', '')
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function timestamp(milliseconds: number, separator: string): string {
  const seconds = Math.floor(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `${padded(hours, 2)}:${padded(minutes, 2)}:${padded(seconds % 60, 2)}${separator}${padded(milliseconds % 1000, 3)}`;
}

function padded(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}
