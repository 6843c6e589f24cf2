import { findWordCount, writeWords } from './prompts.ts';
import { speeds, sum, times } from './statistics.ts';
import type { Sample, Subject, Workload } from './workload.ts';

interface TextSample extends Sample {
  readonly promptTokens: number;
}

interface TextLoad {
  /** One of the texts, for the report. */
  readonly noun: string;
  /** Approximate tokens of one text. */
  readonly promptTokens: number;
  /** Sends one request and returns its tokens. */
  readonly ask: (texts: readonly string[], signal: AbortSignal) => Promise<number>;
}

const textsPerRequest = 32;

/** Texts to embed. */
export function embeddingWorkload({ inference, model }: Subject, promptTokens: number): Workload<TextSample> {
  return textWorkload({
    noun: 'text',
    promptTokens,
    ask: async (input, signal) => (await inference.embed({ model, input }, { signal })).promptTokens,
  });
}

/** Documents to rank; the tokens of the query count in each pair. */
export function rerankWorkload({ inference, model }: Subject, promptTokens: number): Workload<TextSample> {
  const query = 'a red circle above a blue square';
  return textWorkload({
    noun: 'document',
    promptTokens,
    ask: async (documents, signal) =>
      (await inference.rerank({ model, query, documents }, { signal })).promptTokens,
  });
}

/** Requests of several texts each, no two alike. */
function textWorkload({ noun, promptTokens, ask }: TextLoad): Workload<TextSample> {
  const nouns = `${noun}s`;
  let wordCount = 1;
  const send = async (index: number, signal: AbortSignal): Promise<TextSample> => {
    const texts = Array.from({ length: textsPerRequest }, (_, text) =>
      writeWords(index * textsPerRequest + text, wordCount),
    );
    const startedAt = performance.now();
    const tokens = await ask(texts, signal);
    return { totalMs: performance.now() - startedAt, promptTokens: tokens };
  };
  return {
    description: `${textsPerRequest} ${nouns} in each, of about ${promptTokens} tokens`,
    async prepare(signal) {
      wordCount = await findWordCount(promptTokens, (text) => ask([text], signal));
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
        speeds(nouns, `${nouns}/s`, textSpeeds, (samples.length * textsPerRequest) / seconds),
        { name: 'tokens', unit: 'tokens/s', overall: tokens / seconds },
        { name: noun, unit: 'tokens', overall: tokens / (samples.length * textsPerRequest) },
      ];
    },
  };
}
