import type { ChatMessage, ChatUsage } from '../../index.ts';
import { findWordCount, writeWords, timeRun, type Sample, type Subject, type Workload } from './prompts.ts';
import { mean, rate, speeds, sum, times, totals, type Measurement } from './statistics.ts';

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
    run(subject, promptOf(index, words), { maxTokens: most, signal });
  const promptOf = (index: number, words: number): Messages =>
    prompts?.[Math.max(0, index) % prompts.length] ?? asked(writeWords(index, words));
  return {
    description: `answers of at most ${maxTokens} tokens`,
    async prepare(signal) {
      if (!prompts)
        wordCount = await findWordCount(promptTokens, async (text) => {
          const { usage } = await run(subject, asked(text), { maxTokens: 1, signal });
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
  messages: Messages,
  { maxTokens, signal }: { maxTokens: number; signal: AbortSignal },
): Promise<ChatSample> {
  let usage: ChatUsage | undefined;
  const request = { model, messages: [...messages], maxTokens };
  const { totalMs, piecesMs } = await timeRun(
    () => inference.chat(request, { signal }),
    (event) => {
      if (event.type === 'usage') usage = event;
      return ['text-delta', 'reasoning-delta', 'tool-call-start'].includes(event.type);
    },
  );
  const gapsMs = piecesMs.slice(1).map((atMs, index) => atMs - piecesMs[index]!);
  // Servers that report no usage send a token at a time.
  const counted = { promptTokens: 0, cachedTokens: 0, completionTokens: piecesMs.length, reasoningTokens: 0 };
  return { firstMs: piecesMs[0] ?? totalMs, totalMs, usage: usage ?? counted, gapsMs };
}

function measureChat(samples: readonly ChatSample[], elapsedMs: number): readonly Measurement[] {
  const firsts = samples.map(({ firstMs }) => firstMs);
  const answered = samples.filter(({ usage }) => usage.completionTokens > 1);
  const streamSpeeds = answered.map((sample) => 1000 / perToken(sample)).filter(Number.isFinite);
  const computed = samples.map(({ usage }) => usage.promptTokens - usage.cachedTokens);
  const promptSpeeds = computed.map((tokens, index) => tokens / (firsts[index]! / 1000));
  const completion = samples.map(({ usage }) => usage.completionTokens);
  const busBytes = samples.flatMap(({ usage }) => usage.busBytesPerStep ?? []);
  const gaps = samples.flatMap(({ gapsMs }) => gapsMs);
  return [
    times('time to first token', firsts),
    speeds('per stream', 'tokens/s', streamSpeeds),
    rate('all streams', 'tokens/s', sum(completion), elapsedMs),
    times('per token', answered.map(perToken)),
    times('between pieces', gaps),
    totals('end to end', samples),
    rate('requests', 'per second', samples.length, elapsedMs),
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
