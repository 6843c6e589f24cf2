import type { TranscriptionEvent } from '../events.ts';
import type { TranscriptionStreamEvent } from './schema.ts';
import { toUsage } from './to-response.ts';

/**
 * Makes the function that turns what happens during a transcription into the events of a streamed answer. The deltas
 * together are the text.
 *
 * @example
 * ```ts
 * const toEvents = createTranscriptionStreamer();
 * toEvents({ type: 'transcription-end', language: 'en', durationSeconds: 1.2 });
 * // [{ type: 'transcript.text.done', text: '', usage: { type: 'duration', seconds: 2 } }]
 * ```
 */
export function createTranscriptionStreamer(): (event: TranscriptionEvent) => TranscriptionStreamEvent[] {
  let text = '';
  let space = '';
  return (event) => {
    if (event.type === 'transcription-end') {
      return [{ type: 'transcript.text.done', text, usage: toUsage(event.durationSeconds) }];
    }
    const spoken = event.segment.text.trim();
    if (spoken === '') return [];
    const before = /^\s*/.exec(event.segment.text)![0];
    const delta = text === '' ? spoken : space + before + spoken;
    space = /\s*$/.exec(event.segment.text)![0];
    text += delta;
    return [{ type: 'transcript.text.delta', delta }];
  };
}
