import { Buffer } from 'node:buffer';
import type { SpeechEvent, SpokenWord } from '../events.ts';
import type { SpeechAnswer, SpeechStreamEvent } from './schema.ts';

function toWireWords(words: readonly SpokenWord[]): NonNullable<SpeechAnswer['words']> {
  return words.map(({ startSeconds: start, endSeconds: end, ...word }) => ({ ...word, start, end }));
}

/**
 * All events of a speech request → an answer with `stream_format: 'json'`.
 *
 * @param options.words the request has word timestamps
 * @example
 * ```ts
 * toSpeechAnswer([{ type: 'speech-end', durationSeconds: 1 }], { words: true }).words; // []
 * ```
 */
export function toSpeechAnswer(events: readonly SpeechEvent[], { words }: { words: boolean }): SpeechAnswer {
  const bytes: Uint8Array[] = [];
  const spoken: SpokenWord[] = [];
  let [mediaType, duration] = ['application/octet-stream', 0];
  for (const event of events) {
    if (event.type === 'speech-start') ({ mediaType } = event);
    else if (event.type === 'audio') bytes.push(event.bytes);
    else if (event.type === 'words') spoken.push(...event.words);
    else duration = event.durationSeconds;
  }
  const audio = Buffer.concat(bytes).toString('base64');
  return { audio, media_type: mediaType, duration, ...(words ? { words: toWireWords(spoken) } : {}) };
}

/**
 * An event of a speech request → events of an answer with `stream_format: 'sse'`.
 *
 * @example
 * ```ts
 * toSpeechStreamEvents({ type: 'audio', bytes: Uint8Array.of(1, 2) });
 * // [{ type: 'speech.audio.delta', audio: 'AQI=' }]
 * ```
 */
export function toSpeechStreamEvents(event: SpeechEvent): SpeechStreamEvent[] {
  if (event.type === 'speech-start') return [];
  if (event.type === 'words') return [{ type: 'speech.audio.words', words: toWireWords(event.words) }];
  if (event.type === 'speech-end')
    return [{ type: 'speech.audio.done', usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 } }];
  const { buffer, byteOffset, byteLength } = event.bytes;
  const audio = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
  return [{ type: 'speech.audio.delta', audio }];
}
