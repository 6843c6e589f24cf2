import { positionsPerSecond } from '../../../core/audio/whisper/timestamps.ts';
import { heardSeconds, type TranscriptionEvent } from '../events.ts';
import type { TranscriptionStreamEvent } from './schema.ts';
import { toSpeakerSegment } from './to-response.ts';

/**
 * Creates a function that turns the events of a transcription into events of a streamed answer. The concatenated
 * deltas are the text.
 *
 * @example
 * ```ts
 * const toEvents = createTranscriptionStreamer();
 * toEvents({ type: 'transcription-end', language: 'en', durationSeconds: 1.2 })[0].type; // 'transcript.text.done'
 * ```
 */
export function createTranscriptionStreamer(): (event: TranscriptionEvent) => TranscriptionStreamEvent[] {
  let text = '';
  let tokens = 0;
  let space = '';
  return (event) => {
    if (event.type === 'transcription-end') {
      // One audio token per encoder position.
      const audioTokens = Math.ceil(heardSeconds(event) * positionsPerSecond);
      return [{ type: 'transcript.text.done', text, usage: toTokenUsage(audioTokens, tokens) }];
    }
    if (event.type === 'progress') return [];
    if (event.type === 'speakers') return event.segments.map(toSpeakerSegment);
    tokens += event.segment.tokens.length;
    const spoken = event.segment.text.trim();
    if (spoken === '') return [];
    const before = /^\s*/.exec(event.segment.text)![0];
    const delta = text === '' ? spoken : space + before + spoken;
    space = /\s*$/.exec(event.segment.text)![0];
    text += delta;
    return [{ type: 'transcript.text.delta', delta, channel: event.segment.channel }];
  };
}

export type TokenUsage = Extract<TranscriptionStreamEvent, { type: 'transcript.text.done' }>['usage'];

export function toTokenUsage(audioTokens: number, outputTokens: number): TokenUsage {
  return {
    type: 'tokens',
    input_tokens: audioTokens,
    input_token_details: { audio_tokens: audioTokens },
    output_tokens: outputTokens,
    total_tokens: audioTokens + outputTokens,
  };
}
