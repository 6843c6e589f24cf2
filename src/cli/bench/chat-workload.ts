import type { ChatMessage, ChatUsage } from '../../index.ts';
import { findWordCount, writeWords } from './prompts.ts';
import { mean, speeds, sum, times, type Measurement } from './statistics.ts';
import type { Sample, Subject, Workload } from './workload.ts';

export type Messages = readonly ChatMessage[];

export interface ChatLoad {
  readonly promptTokens: number;
  readonly maxTokens: number;
  /** In place of texts of `promptTokens`; taken in turn. */
  readonly prompts?: readonly Messages[] | undefined;
}

export interface ChatSample extends Sample {
  /** Until the first piece of text. */
  readonly firstMs: number;
  readonly usage: ChatUsage;
  /** Between the pieces of text that came one after another. */
  readonly gapsMs: readonly number[];
}

/** Conversations of one question each, no two alike. */
export function chatWorkload(
  subject: Subject,
  { promptTokens, maxTokens, prompts }: ChatLoad,
): Workload<ChatSample> {
  let wordCount = 1;
  const ask = (index: number, words: number, most: number, signal: AbortSignal): Promise<ChatSample> =>
    run(subject, { messages: promptOf(index, words), maxTokens: most, signal });
  const promptOf = (index: number, words: number): Messages =>
    prompts?.[Math.max(0, index) % prompts.length] ?? asked(writeWords(index, words));
  return {
    description: `answers of at most ${maxTokens} tokens`,
    async prepare(signal) {
      if (!prompts)
        wordCount = await findWordCount(promptTokens, async (text) => {
          const { usage } = await run(subject, { messages: asked(text), maxTokens: 1, signal });
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
    messages,
    maxTokens,
    signal,
  }: { readonly messages: Messages; readonly maxTokens: number; readonly signal: AbortSignal },
): Promise<ChatSample> {
  const startedAt = performance.now();
  let firstMs: number | undefined;
  let lastMs = 0;
  const gapsMs: number[] = [];
  let pieces = 0;
  let usage: ChatUsage | undefined;
  const events = inference.chat({ model, messages: [...messages], maxTokens }, { signal });
  for await (const event of events) {
    if (event.type === 'usage') usage = event;
    if (event.type !== 'text-delta' && event.type !== 'reasoning-delta' && event.type !== 'tool-call-start')
      continue;
    pieces++;
    const atMs = performance.now() - startedAt;
    if (firstMs !== undefined) gapsMs.push(atMs - lastMs);
    firstMs ??= atMs;
    lastMs = atMs;
  }
  const totalMs = performance.now() - startedAt;
  // Servers that report no usage send a token at a time.
  const counted = { promptTokens: 0, cachedTokens: 0, completionTokens: pieces, reasoningTokens: 0 };
  return { firstMs: firstMs ?? totalMs, totalMs, usage: usage ?? counted, gapsMs };
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
    times('per token', answered.map(perToken)),
    times(
      'between pieces',
      samples.flatMap(({ gapsMs }) => gapsMs),
    ),
    times(
      'end to end',
      samples.map(({ totalMs }) => totalMs),
    ),
    { name: 'requests', unit: 'per second', overall: samples.length / seconds },
    ...(sum(computed) > 0 ? [speeds('reading the prompt', 'tokens/s', promptSpeeds)] : []),
    { name: 'prompt', unit: 'tokens', overall: mean(samples.map(({ usage }) => usage.promptTokens)) },
    { name: 'answer', unit: 'tokens', overall: mean(completion) },
    ...(busBytes.length > 0 ? [{ ...times('over the bus per row and step', busBytes), unit: 'B' }] : []),
  ];
}

export function perToken({ usage, firstMs, totalMs }: ChatSample): number {
  return (totalMs - firstMs) / (usage.completionTokens - 1);
}

function asked(text: string): Messages {
  return [{ role: 'user', content: text }];
}
