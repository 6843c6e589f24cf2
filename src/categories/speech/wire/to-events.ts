import { Buffer } from 'node:buffer';
import type { SpeechEvent } from '../events.ts';
import type { SpeechStreamEvent } from './schema.ts';
import { toWireWords } from './to-answer.ts';

/**
 * Events of a speech request → the events of an answer of the stream format `sse`.
 *
 * @example
 * ```ts
 * toSpeechStreamEvents({ type: 'audio', bytes: Uint8Array.of(1, 2) });
 * // [{ type: 'speech.audio.delta', audio: 'AQI=' }]
 * ```
 */
export function toSpeechStreamEvents(event: SpeechEvent): SpeechStreamEvent[] {
  switch (event.type) {
    case 'speech-start':
      return [];
    case 'audio': {
      const { buffer, byteOffset, byteLength } = event.bytes;
      const audio = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
      return [{ type: 'speech.audio.delta', audio }];
    }
    case 'words':
      return [{ type: 'speech.audio.words', words: toWireWords(event.words) }];
    case 'speech-end':
      return [{ type: 'speech.audio.done', usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 } }];
  }
}
