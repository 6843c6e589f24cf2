import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChatEvent, ChatModelInfo } from '../../../../../src/categories/chat/events.ts';
import { onnxSessions } from '../../../../../src/backends/onnx/sessions.ts';
import { loadChatPipeline } from '../../../../../src/categories/chat/pipeline/chat-pipeline.ts';
import {
  completeChatRequest,
  type ChatRequest,
  type ChatRequestInput,
} from '../../../../../src/categories/chat/request.ts';
import type { Pipeline } from '../../../../../src/contracts/category.ts';
import type { ContentPart } from '../../../../../src/core/chat/messages.ts';
import { countSure, marginOf } from '../../../../tolerance.ts';

const bytesOf = (name: string) =>
  new Uint8Array(readFileSync(new URL(`../../../../contract/pictures/${name}.png`, import.meta.url)));
const picture = (name: string): ContentPart => ({ type: 'image', image: bytesOf(name) });
const text = (words: string): ContentPart => ({ type: 'text', text: words });

type ChatPipeline = Pipeline<ChatRequest, ChatEvent, ChatModelInfo>;
let eyes: ChatPipeline;
beforeAll(async () => {
  eyes = await loadChatPipeline(
    {
      id: 'eyes',
      source: 'test/contract/models/idefics3',
      threads: 1,
      maxImages: 3,
      maxPixels: 100_000,
    },
    onnxSessions,
  );
});
afterAll(() => eyes.close());

async function ask(
  content: string | readonly ContentPart[],
  options: Partial<ChatRequestInput> = {},
  pipeline = eyes,
) {
  const request = completeChatRequest({
    model: 'eyes',
    messages: [{ role: 'user', content }],
    temperature: 0,
    maxTokens: 6,
    logprobs: true,
    topLogprobs: 2,
    ...options,
  });
  const events: ChatEvent[] = [];
  for await (const event of pipeline.run(request)) events.push(event);
  const usage = events.find((event) => event.type === 'usage')!;
  const answer = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
  const tokens = events.flatMap((event) => (event.type === 'logprobs' ? event.tokens : []));
  const margins = tokens.map(({ topLogprobs }) => marginOf(topLogprobs.map(({ logprob }) => logprob)));
  return { answer, ...usage, tokens: tokens.map(({ token }) => token), margins };
}

describe('a model that takes pictures', () => {
  it('counts their tokens', async () => {
    const plain = await ask('What?');
    const { promptTokens } = await ask([picture('equal'), text('What?')]);
    // Four tiles and the whole of four tokens each, two marks before each and one at the end, three line breaks.
    expect(promptTokens).toBe(plain.promptTokens + 5 * (4 + 2) + 1 + 3);
  });

  it('reads a picture again that it has read, and no other for it', async () => {
    const question = text('Which of them?');
    const first = await ask([picture('wide'), question]);
    const again = await ask([picture('wide'), question]);
    expect(again.answer).toBe(first.answer);
    expect(again.cachedTokens).toBe(again.promptTokens - 1);
    const other = await ask([picture('upright'), question]);
    expect(other.cachedTokens).toBeLessThan(20);
  });

  it('has the answers of pictures together that it has of each alone', async () => {
    const names = ['wide', 'upright', 'square', 'small'];
    const asked = names.map((name) => [picture(name), text(`What is in ${name}?`)]);
    const together = await Promise.all([...asked.map((content) => ask(content)), ask('And nothing?')]);
    const fresh = await loadChatPipeline(
      { id: 'eyes', source: 'test/contract/models/idefics3', threads: 1 },
      onnxSessions,
    );
    try {
      for (const [index, content] of [...asked, 'And nothing?'].entries()) {
        const { tokens, margins } = await ask(content, { seed: 1 }, fresh);
        const sure = countSure(margins, 1e-4);
        expect(together[index]!.tokens.slice(0, sure)).toEqual(tokens.slice(0, sure));
      }
    } finally {
      await fresh.close();
    }
  });

  it('takes a data: URL, base64 and bytes for the same', async () => {
    const base64 = Buffer.from(bytesOf('square')).toString('base64');
    const forms = [bytesOf('square'), base64, `data:image/png;base64,${base64}`];
    const answers = await Promise.all(
      forms.map((image) => ask([{ type: 'image', image }, text('Look.')]).then(({ answer }) => answer)),
    );
    expect(new Set(answers).size).toBe(1);
  });

  it('sees less with little detail', async () => {
    const large = await loadChatPipeline(
      { id: 'eyes', source: 'test/contract/models/idefics3', threads: 1 },
      onnxSessions,
    );
    const image = await sharpened();
    const asked = (detail?: 'low') =>
      ask([{ type: 'image', image, detail }], { logprobs: true }, large).then(
        ({ cachedTokens }) => cachedTokens,
      );
    expect(await asked()).toBe(0);
    expect(await asked('low')).toBeLessThan(20);
    expect(await asked()).toBeGreaterThan(20);
    await large.close();
  });

  it.each<[string, readonly ContentPart[], Partial<ChatRequestInput>, string]>([
    ['no picture', [{ type: 'image', image: 'aGVsbG8=' }], {}, 'messages[0].content[0]'],
    ['no base64', [text('a'), { type: 'image', image: '?' }], {}, 'messages[0].content[1]'],
    ['an inner address', [{ type: 'image', image: 'http://127.0.0.1/a.png' }], {}, 'messages[0].content[0]'],
    ['too many pixels', [picture('large')], {}, 'messages[0].content[0]'],
    ['too many pictures', Array.from({ length: 4 }, () => picture('small')), {}, 'messages[0].content[3]'],
    ['the mark of a picture', [text('an <image>')], {}, 'messages[0].content'],
    ['a cut through it', [picture('wide')], { truncatePromptTokens: 20 }, 'messages'],
  ])('refuses %s', async (_name, content, options, param) => {
    await expect(ask(content, options)).rejects.toMatchObject({ code: 'invalid_request', param });
    expect((await ask('Still there?')).completionTokens).toBeGreaterThan(0);
  });
});

it('a model that takes none names the part', async () => {
  const blind = await loadChatPipeline(
    { id: 'blind', source: 'test/contract/models/llama', threads: 1 },
    onnxSessions,
  );
  const refused = ask([text('a'), picture('small')], {}, blind);
  await expect(refused).rejects.toMatchObject({
    code: 'unsupported_feature',
    param: 'messages[0].content[1]',
  });
  await blind.close();
});

/** Larger than what little detail leaves. */
async function sharpened(): Promise<Uint8Array> {
  const { encodePng } = await import('../../../../../src/runtime/image.ts');
  const size = { width: 1024, height: 600 };
  const pixels = Uint8Array.from({ length: 3 * size.width * size.height }, (_, at) => (at * 7919) % 251);
  return encodePng(pixels, size);
}
