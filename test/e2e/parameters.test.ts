import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toWireName } from '../../src/core/parameters/descriptor.ts';
import { chatParameters } from '../../src/categories/chat/parameters.ts';
import {
  chat,
  createInference,
  type ChatEvent,
  type ChatRequestInput,
  type Inference,
} from '../../dist/src/index.js';

// Every accepted parameter acts: a request and the same request with one value changed have different outcomes.
let inference: Inference;
beforeAll(async () => {
  inference = createInference({
    models: { 'tiny-chat': chat({ source: 'tiny-chat' }) },
    isolation: 'inline',
  });
  await inference.ready();
});
afterAll(() => inference.close());

const refused = ['enableThinking', 'reasoningEffort'];

const varied: Partial<ChatRequestInput> = {
  seed: 7,
  temperature: 2,
  minP: 0,
  repeatPenalty: 1,
  maxTokens: 40,
};

async function run(changes: Partial<ChatRequestInput>): Promise<ChatEvent[]> {
  const events: ChatEvent[] = [];
  const request: ChatRequestInput = {
    model: 'tiny-chat',
    messages: [{ role: 'user', content: 'Describe a scene with four shapes.' }],
    ...varied,
    ...changes,
  };
  for await (const event of inference.chat(request)) events.push(event);
  return events.map((event) => {
    if (event.type === 'tool-call-start') return { ...event, id: '' };
    // Cached tokens depend on the tests before.
    return event.type === 'usage' ? { ...event, cachedTokens: 0 } : event;
  });
}

/** The answers are too short to repeat themselves. */
const counted: Partial<ChatRequestInput> = { penalizePrompt: true };
const dry: Partial<ChatRequestInput> = {
  ...counted,
  dryMultiplier: 5,
  dryAllowedLength: 0,
  drySequenceBreakers: [],
};
/** One token again and again, until a penalty is larger than its bias. */
const biased: Partial<ChatRequestInput> = { ...counted, logitBias: new Map([[50, 30]]) };
const repetitive: Partial<ChatRequestInput> = { ...biased, dryMultiplier: 0.1 };
const begun: ChatRequestInput['messages'] = [
  { role: 'user', content: 'Describe a scene with four shapes.' },
  { role: 'assistant', content: 'There is a red' },
];

/** An answer of a few tokens. */
const ended: Partial<ChatRequestInput> = {
  messages: [{ role: 'user', content: 'What is 2 + 3?' }],
  temperature: 0,
};

type Case = [parameter: string, base: Partial<ChatRequestInput>, changed: Partial<ChatRequestInput>];
const cases: Case[] = [
  ['temperature', {}, { temperature: 0.1 }],
  ['topP', {}, { topP: 0.1 }],
  ['frequencyPenalty', counted, { ...counted, frequencyPenalty: 2 }],
  ['presencePenalty', counted, { ...counted, presencePenalty: 2 }],
  ['repeatPenalty', biased, { ...biased, repeatPenalty: 3 }],
  [
    'repeatLastN',
    { ...biased, repeatPenalty: 3, repeatLastN: 1 },
    { ...biased, repeatPenalty: 3, repeatLastN: -1 },
  ],
  ['penalizePrompt', { repeatPenalty: 3 }, { ...counted, repeatPenalty: 3 }],
  ['topK', {}, { topK: 1 }],
  ['minP', {}, { minP: 1 }],
  ['typicalP', {}, { typicalP: 0.05 }],
  ['tfsZ', {}, { tfsZ: 0.01 }],
  ['mirostatMode', {}, { mirostatMode: 1, mirostatTau: 0.1 }],
  ['mirostatMode', { mirostatMode: 1, mirostatTau: 3, n: 5 }, { mirostatMode: 2, mirostatTau: 3, n: 5 }],
  ['mirostatTau', { mirostatMode: 2, mirostatTau: 10 }, { mirostatMode: 2, mirostatTau: 0.01 }],
  [
    'mirostatEta',
    { mirostatMode: 2, mirostatTau: 0.5, mirostatEta: 0, n: 5 },
    { mirostatMode: 2, mirostatTau: 0.5, mirostatEta: 1, n: 5 },
  ],
  ['dryMultiplier', dry, { ...dry, dryMultiplier: 1 }],
  ['dryBase', { ...dry, ...repetitive }, { ...dry, ...repetitive, dryBase: 8 }],
  ['dryAllowedLength', dry, { ...dry, dryAllowedLength: 3 }],
  ['dryPenaltyLastN', dry, { ...dry, dryPenaltyLastN: 0 }],
  ['drySequenceBreakers', dry, { ...dry, drySequenceBreakers: ['e', 'a', 'o'] }],
  ['xtcProbability', {}, { xtcProbability: 1, xtcThreshold: 0.01 }],
  ['xtcThreshold', { xtcProbability: 1 }, { xtcProbability: 1, xtcThreshold: 0.01 }],
  ['topNSigma', {}, { topNSigma: 0.1 }],
  ['dynatempRange', {}, { dynatempRange: 2 }],
  ['dynatempExponent', { dynatempRange: 2 }, { dynatempRange: 2, dynatempExponent: 8 }],
  ['maxTokens', {}, { maxTokens: 2 }],
  ['minTokens', ended, { ...ended, minTokens: 30 }],
  ['ignoreEos', ended, { ...ended, ignoreEos: true }],
  ['badWords', {}, { badWords: ['a', 'the', 'There', 'red', 'circle', 'square', 'triangle', 'star'] }],
  ['n', {}, { n: 2 }],
  ['seed', {}, { seed: 8 }],
  ['logprobs', {}, { logprobs: true }],
  ['includeStopStrInOutput', { stop: ' ' }, { stop: ' ', includeStopStrInOutput: true }],
  ['truncatePromptTokens', {}, { truncatePromptTokens: 3 }],
  ['addGenerationPrompt', {}, { addGenerationPrompt: false }],
  ['continueFinalMessage', { messages: begun }, { messages: begun, continueFinalMessage: true }],
  ['topLogprobs', { logprobs: true }, { logprobs: true, topLogprobs: 3 }],
];

describe('a parameter that changes, changes the outcome', () => {
  it.each(cases)('%s', async (_name, base, changed) => {
    expect(await run(changed)).not.toEqual(await run(base));
  });

  it('includeReasoning', async () => {
    const messages = [{ role: 'user' as const, content: 'What is 27 + 58?' }];
    const shown = await run({ messages, temperature: 0, maxTokens: 100 });
    const hidden = await run({ messages, temperature: 0, maxTokens: 100, includeReasoning: false });
    expect(shown.some(({ type }) => type === 'reasoning-delta')).toBe(true);
    // Hidden tokens are counted, without their text.
    const seen = hidden.filter(({ type }) => type !== 'hidden-tokens');
    expect(seen).toEqual(shown.filter(({ type }) => type !== 'reasoning-delta'));
    const usage = hidden.at(-1);
    expect(usage?.type === 'usage' && usage.reasoningTokens).toBeGreaterThan(5);
  });

  it('includeReasoning, also of the log probabilities', async () => {
    const messages = [{ role: 'user' as const, content: 'What is 27 + 58?' }];
    const request = { messages, temperature: 0, maxTokens: 100, logprobs: true };
    const textOf = (events: ChatEvent[]) =>
      events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
    const tokensOf = (events: ChatEvent[]) =>
      events.flatMap((event) => (event.type === 'logprobs' ? event.tokens.map(({ token }) => token) : []));
    const hidden = await run({ ...request, includeReasoning: false });
    expect(tokensOf(hidden).join('').trim()).toBe(textOf(hidden));
    expect(tokensOf(await run(request)).length).toBeGreaterThan(tokensOf(hidden).length + 5);
  });

  it('stop', async () => {
    const text = (events: ChatEvent[]) =>
      events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
    const whole = text(await run({ temperature: 0 }));
    const stop = whole.slice(8, 12);
    expect(text(await run({ temperature: 0, stop }))).toBe(whole.slice(0, whole.indexOf(stop)));
  });

  it('logitBias', async () => {
    // One half of the vocabulary, then the other: the answer can't be the same.
    const half = (from: number) => new Map(Array.from({ length: 600 }, (_, token) => [token + from, -100]));
    expect(await run({ logitBias: half(3) })).not.toEqual(await run({ logitBias: half(603) }));
  });

  it.each(refused)('%s, or is refused where the chat template has no switch', async (name) => {
    const value = name === 'enableThinking' ? false : 'none';
    await expect(run({ [name]: value })).rejects.toMatchObject({
      code: 'unsupported_feature',
      param: toWireName(name),
    });
    expect(inference.models()[0]!.foreignParameters).toContain(name);
  });

  it('is shown for every parameter of the table', () => {
    const shown = new Set([...cases.map(([name]) => name), 'includeReasoning', ...refused]);
    expect(Object.keys(chatParameters).filter((name) => !shown.has(name))).toEqual([]);
  });
});

describe('outcomes that do not change', () => {
  it('the same seed gives the same output, and choice i is the one of seed + i', async () => {
    const textsOf = (events: ChatEvent[], choice: number) =>
      events
        .map((event) => (event.type === 'text-delta' && event.choice === choice ? event.text : ''))
        .join('');
    const five = await run({ n: 5 });
    expect(await run({ n: 5 })).toEqual(five);
    expect(textsOf(five, 0)).toBe(textsOf(await run({}), 0));
    expect(new Set([0, 1, 2, 3, 4].map((choice) => textsOf(five, choice))).size).toBeGreaterThan(1);
  });

  it('a seeded request gives the same output while others run', async () => {
    const alone = await run({ n: 2 });
    const others = Array.from({ length: 6 }, async (_, index) => {
      for (let round = 0; round < 8; round++)
        await run({ seed: index % 2 === 0 ? undefined : index, maxTokens: 30 });
    });
    for (let round = 0; round < 5; round++) expect(await run({ n: 2 })).toEqual(alone);
    await Promise.all(others);
  });
});
