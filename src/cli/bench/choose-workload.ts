import { parseInteger } from '../options.ts';
import { UsageError } from '../usage-error.ts';
import { readImageLoad, type BenchValues } from './bench-options.ts';
import { chatWorkload, type Messages } from './chat-workload.ts';
import {
  detectionWorkload,
  imageWorkload,
  speechWorkload,
  transcriptionWorkload,
} from './media-workloads.ts';
import { drawPicture, readSample, recordSpeech } from './sample-files.ts';
import { embeddingWorkload, rerankWorkload } from './text-workloads.ts';
import type { Subject, Workload } from './workload.ts';

/** Chooses the requests for a model of a category. */
export async function chooseWorkload(
  subject: Subject,
  values: BenchValues,
  signal: AbortSignal,
  prompts?: readonly Messages[],
): Promise<Workload> {
  switch (subject.category) {
    case 'chat': {
      const promptTokens = tokensOf('prompt-tokens', 128, values, subject);
      const maxTokens = tokensOf('max-tokens', 128, values, subject);
      return chatWorkload(subject, { promptTokens, maxTokens, prompts });
    }
    case 'embedding':
      return embeddingWorkload(subject, tokensOf('prompt-tokens', 32, values, subject));
    case 'detection': {
      const picture = values.file === undefined ? await drawPicture() : await readSample(values.file);
      return detectionWorkload(subject, Buffer.from(picture).toString('base64'));
    }
    case 'image':
      return imageWorkload(subject, readImageLoad(values));
    case 'rerank':
      return rerankWorkload(subject, tokensOf('prompt-tokens', 128, values, subject));
    case 'speech':
      return speechWorkload(subject);
    case 'transcription':
      return transcriptionWorkload(
        subject,
        values.file === undefined ? await recordSpeech(signal) : await readSample(values.file),
      );
    default:
      throw new UsageError(`There is no workload for models of the category ${subject.category}.`);
  }
}

/** The given length, or the default as far as it fits into the context. */
function tokensOf(
  name: 'prompt-tokens' | 'max-tokens',
  byDefault: number,
  values: BenchValues,
  { contextLength }: Subject,
): number {
  const given = values[name];
  const most = contextLength > 0 ? contextLength : Infinity;
  if (given === undefined) return Math.min(byDefault, Math.floor(most / 4));
  const tokens = parseInteger(`--${name}`, given, { min: 1 });
  if (tokens < most) return tokens;
  throw new UsageError(
    `--${name}: expected fewer than the ${contextLength} tokens of the model's context, got ${tokens}`,
  );
}
