import { findWordCount, writeWords } from './prompts.ts';
import { speeds, sum, times } from './statistics.ts';
import type { Sample, Subject, Workload } from './workload.ts';

interface EmbeddingSample extends Sample {
  readonly promptTokens: number;
}

const textsPerRequest = 32;

/** Requests of several texts each, no two alike. */
export function embeddingWorkload(subject: Subject, promptTokens: number): Workload<EmbeddingSample> {
  const { inference, model } = subject;
  let wordCount = 1;
  const send = async (index: number, signal: AbortSignal): Promise<EmbeddingSample> => {
    const input = Array.from({ length: textsPerRequest }, (_, text) =>
      writeWords(index * textsPerRequest + text, wordCount),
    );
    const startedAt = performance.now();
    const result = await inference.embed({ model, input }, { signal });
    return { totalMs: performance.now() - startedAt, promptTokens: result.promptTokens };
  };
  return {
    description: `${textsPerRequest} texts in each, of about ${promptTokens} tokens`,
    async prepare(signal) {
      wordCount = await findWordCount(
        promptTokens,
        async (input) => (await inference.embed({ model, input }, { signal })).promptTokens,
      );
      await send(0, signal);
    },
    send,
    measure(samples, elapsedMs) {
      const seconds = elapsedMs / 1000;
      const tokens = sum(samples.map((sample) => sample.promptTokens));
      const textSpeeds = samples.map(({ totalMs }) => textsPerRequest / (totalMs / 1000));
      return [
        times(
          'request',
          samples.map(({ totalMs }) => totalMs),
        ),
        speeds('texts', 'texts/s', textSpeeds, (samples.length * textsPerRequest) / seconds),
        { name: 'tokens', unit: 'tokens/s', overall: tokens / seconds },
        { name: 'text', unit: 'tokens', overall: tokens / (samples.length * textsPerRequest) },
      ];
    },
  };
}
