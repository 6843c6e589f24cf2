import { Buffer } from 'node:buffer';
import type { TranscriptionModelV4 } from '@ai-sdk/provider';
import { z } from 'zod';
import { transcriptionParameters } from '../categories/transcription/parameters.ts';
import { transcriptionTasks } from '../categories/transcription/request.ts';
import { collectTranscription } from '../categories/transcription/result.ts';
import { answer, identityOf, start, type Host } from './call.ts';
import { createOptionsReader, toSdkName, type FieldNames } from './provider-options.ts';

const names: FieldNames = {
  own: { model: 'modelId', file: 'audio', timestamp_granularities: 'timestampGranularities' },
};
const rename = toSdkName(names);
const readOptions = createOptionsReader(transcriptionParameters, names, {
  language: z.string().optional(),
  prompt: z.string().optional(),
  task: z.enum(transcriptionTasks).optional(),
  diarize: z.boolean().optional(),
});

interface Timed {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** Recordings to texts. */
export function createTranscriptionModel(host: Host<'transcription'>): TranscriptionModelV4 {
  return {
    ...identityOf(host),
    doGenerate: (call) =>
      answer(host, call, rename, async () => {
        const { audio, timestampGranularities, abortSignal: signal } = call;
        const { parameters, more } = readOptions(call);
        const request = {
          ...parameters,
          language: more.language,
          prompt: more.prompt,
          task: more.task,
          diarize: more.diarize,
          audio: typeof audio === 'string' ? Buffer.from(audio, 'base64') : audio,
          wordTimestamps: timestampGranularities?.includes('word'),
        };
        const { text, language, durationSeconds, segments, speakerSegments } = await collectTranscription(
          start(host, request, { signal }),
        );
        const words = segments.flatMap((segment) => segment.words ?? []);
        return {
          text,
          segments: segments.map((segment) => timed(segment.text.trim(), segment)),
          ...(request.wordTimestamps && { words: words.map((word) => timed(word.word, word)) }),
          language,
          durationInSeconds: durationSeconds,
          ...(speakerSegments && {
            providerMetadata: {
              slashv1: {
                speakerSegments: speakerSegments.map(({ speaker, startSeconds, endSeconds, text: said }) => ({
                  speaker,
                  startSeconds,
                  endSeconds,
                  text: said,
                })),
              },
            },
          }),
          response: { timestamp: new Date(), modelId: host.modelId },
          warnings: [],
        };
      }),
  };
}

function timed(text: string, { startSeconds, endSeconds }: Timed) {
  return { text, startSecond: startSeconds, endSecond: endSeconds };
}
