import type { SpeakerSegment } from '../../core/audio/diarization/assign-speakers.ts';
import type { TranscriptionEvent, TranscriptionSegment } from './events.ts';

/** A whole transcript. */
export interface TranscriptionResult {
  readonly text: string;
  /** ISO 639-1; `undefined` without speech, or for a monolingual model that doesn't name its language. */
  readonly language: string | undefined;
  /** Duration of the audio. */
  readonly durationSeconds: number;
  /** Number of channels, with `multichannel`. */
  readonly channels?: number | undefined;
  readonly segments: readonly TranscriptionSegment[];
  /** The text again, split by speaker; only with `diarize`. */
  readonly speakerSegments?: readonly SpeakerSegment[] | undefined;
}

/**
 * Waits for the end of a transcription.
 *
 * @throws errors of the iteration
 * @example
 * ```ts
 * const request = { model: 'tiny-whisper', audio: { path: 'speech.mp3' } };
 * const { text } = await collectTranscription(inference.transcribe(request));
 * ```
 */
export async function collectTranscription(
  events: AsyncIterable<TranscriptionEvent> | Iterable<TranscriptionEvent>,
): Promise<TranscriptionResult> {
  const segments: TranscriptionSegment[] = [];
  let language: string | undefined;
  let durationSeconds = 0;
  let channels: number | undefined;
  let speakerSegments: readonly SpeakerSegment[] | undefined;
  for await (const event of events) {
    if (event.type === 'segment') segments.push(event.segment);
    else if (event.type === 'speakers') speakerSegments = event.segments;
    else if (event.type === 'transcription-end') ({ language, durationSeconds, channels } = event);
  }
  const text = segments
    .map((segment) => segment.text)
    .join('')
    .trim();
  return {
    text,
    language,
    durationSeconds,
    segments,
    ...(channels !== undefined && { channels }),
    ...(speakerSegments && { speakerSegments }),
  };
}
