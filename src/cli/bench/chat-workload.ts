import type { ChatUsage } from '../../index.ts';
import { findWordCount, writeWords } from './prompts.ts';
import { mean, speeds, sum, times, type Measurement } from './statistics.ts';
import type { Sample, Subject, Workload } from './workload.ts';

export interface ChatLoad {
  readonly promptTokens: number;
  readonly maxTokens: number;
}

interface ChatSample extends Sample {
  /** Until the first piece of text. */
  readonly firstMs: number;
  readonly usage: ChatUsage;
}

/** Conversations of one question each, no two alike. */
export function chatWorkload(subject: Subject, { promptTokens, maxTokens }: ChatLoad): Workload<ChatSample> {
  let wordCount = 1;
  const ask = (index: number, words: number, most: number, signal: AbortSignal): Promise<ChatSample> =>
    run(subject, { text: writeWords(index, words), maxTokens: most, signal });
  return {
    description: `answers of at most ${maxTokens} tokens`,
    async prepare(signal) {
      wordCount = await findWordCount(promptTokens, async (text) => {
        const { usage } = await run(subject, { text, maxTokens: 1, signal });
        return usage.promptTokens;
      });
      await ask(-4, wordCount, Math.min(8, maxTokens), signal);
    },
    send: (index, signal) => ask(index, wordCount, maxTokens, signal),
    measure: measureChat,
  };
}

async function run(
  { inference, model }: Subject,
  {
    text,
    maxTokens,
    signal,
  }: { readonly text: string; readonly maxTokens: number; readonly signal: AbortSignal },
): Promise<ChatSample> {
  const startedAt = performance.now();
  let firstMs: number | undefined;
  let pieces = 0;
  let usage: ChatUsage | undefined;
  const events = inference.chat(
    { model, messages: [{ role: 'user', content: text }], maxTokens },
    { signal },
  );
  for await (const event of events) {
    if (event.type === 'usage') usage = event;
    if (event.type !== 'text-delta' && event.type !== 'reasoning-delta' && event.type !== 'tool-call-start')
      continue;
    pieces++;
    firstMs ??= performance.now() - startedAt;
  }
  const totalMs = performance.now() - startedAt;
  // Servers that report no usage send a token at a time.
  const counted = { promptTokens: 0, cachedTokens: 0, completionTokens: pieces, reasoningTokens: 0 };
  return { firstMs: firstMs ?? totalMs, totalMs, usage: usage ?? counted };
}

function measureChat(samples: readonly ChatSample[], elapsedMs: number): readonly Measurement[] {
  const seconds = elapsedMs / 1000;
  const answered = samples.filter(({ usage }) => usage.completionTokens > 1);
  const streamSpeeds = answered.map(
    ({ usage, firstMs, totalMs }) => (usage.completionTokens - 1) / ((totalMs - firstMs) / 1000),
  );
  const computed = samples.map(({ usage }) => usage.promptTokens - usage.cachedTokens);
  const promptSpeeds = samples.map(({ firstMs }, index) => computed[index]! / (firstMs / 1000));
  const completion = samples.map(({ usage }) => usage.completionTokens);
  const busBytes = samples.flatMap(({ usage }) => usage.busBytesPerStep ?? []);
  return [
    times(
      'time to first token',
      samples.map(({ firstMs }) => firstMs),
    ),
    speeds('per stream', 'tokens/s', streamSpeeds.filter(Number.isFinite)),
    { name: 'all streams', unit: 'tokens/s', overall: sum(completion) / seconds },
    times(
      'per token',
      answered.map(({ usage, firstMs, totalMs }) => (totalMs - firstMs) / (usage.completionTokens - 1)),
    ),
    ...(sum(computed) > 0 ? [speeds('reading the prompt', 'tokens/s', promptSpeeds)] : []),
    { name: 'prompt', unit: 'tokens', overall: mean(samples.map(({ usage }) => usage.promptTokens)) },
    { name: 'answer', unit: 'tokens', overall: mean(completion) },
    ...(busBytes.length > 0 ? [{ ...times('over the bus per row and step', busBytes), unit: 'B' }] : []),
  ];
}
