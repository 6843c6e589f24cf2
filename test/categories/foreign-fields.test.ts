import { describe, expect, it } from 'vitest';
import { categories } from '../../src/categories/registry.ts';
import type { Endpoint } from '../../src/contracts/endpoint.ts';
import { InferenceError } from '../../src/errors.ts';
import type { ForeignField } from '../../src/validation/foreign-fields.ts';

const chat = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };

/** A body of each endpoint that its schema accepts, without optional fields. */
const bodies: Readonly<Record<string, object>> = {
  '/chat/completions': chat,
  '/completions': { model: 'm', prompt: 'Hi' },
  '/responses': { model: 'm', input: 'Hi' },
  '/responses/input_tokens': { model: 'm', input: 'Hi' },
  '/messages': { ...chat, max_tokens: 5 },
  '/messages/count_tokens': chat,
  '/tokenize': chat,
  '/embeddings': { input: 'Hi' },
  '/rerank': { query: 'Hi', documents: ['Hi', 'You'] },
  '/audio/speech': { input: 'Hi' },
  '/images/generations': { prompt: 'Hi' },
  '/detect': { image: 'aGk=' },
  '/audio/transcriptions': {},
  '/audio/translations': {},
};

type Meaning = readonly [value: unknown, same: object];
const alike = (names: string, meaning: Meaning): Readonly<Record<string, Meaning>> =>
  Object.fromEntries(names.split(' ').map((name) => [name, meaning]));

/** A value of each field with another name here, and what says the same here. */
const acting: Readonly<Record<string, Meaning>> = {
  regex: ['a+', { guided_regex: 'a+' }],
  regex_pattern: ['a+', { guided_regex: 'a+' }],
  ebnf: ['root ::= "a"', { guided_grammar: 'root ::= "a"' }],
  grammar_string: ['root ::= "a"', { grammar: 'root ::= "a"' }],
  format: ['json', { response_format: { type: 'json_object' } }],
  n_predict: [7, { max_tokens: 7 }],
  num_predict: [7, { max_tokens: 7 }],
  max_new_tokens: [7, { max_tokens: 7 }],
  max_tokens: [7, { max_output_tokens: 7 }],
  max_completion_tokens: [7, { max_tokens: 7 }],
  min_new_tokens: [3, { min_tokens: 3 }],
  ban_eos_token: [true, { ignore_eos: true }],
  no_stop_trim: [true, { include_stop_str_in_output: true }],
  stop_sequences: [['a'], { stop: ['a'] }],
  stop: ['a', { stop_sequences: ['a'] }],
  random_seed: [7, { seed: 7 }],
  repetition_penalty: [1.3, { repeat_penalty: 1.3 }],
  rep_pen: [1.3, { repeat_penalty: 1.3 }],
  rep_pen_range: [20, { repeat_last_n: 20 }],
  typical: [0.5, { typical_p: 0.5 }],
  mirostat: [2, { mirostat_mode: 2 }],
  nsigma: [1.5, { top_n_sigma: 1.5 }],
  think: [false, { enable_thinking: false }],
  output_dimension: [8, { dimensions: 8 }],
  output_dimensionality: [8, { dimensions: 8 }],
  content: ['One', { input: 'One' }],
  passages: [[{ text: 'One' }], { documents: [{ text: 'One' }] }],
  ...alike('source image_url', ['https://a.b/c.png', { image: 'https://a.b/c.png' }]),
  ...alike('conf conf_thres confidence_threshold score_threshold threshold', [0.5, { confidence: 0.5 }]),
  ...alike('iou iou_thres nms_threshold', [0.6, { iou_threshold: 0.6 }]),
  max_det: [7, { max_detections: 7 }],
  ...alike('imgsz img_size', [320, { image_size: 320 }]),
  top_k: [1, { top_n: 1 }],
  texts: [['One'], { documents: ['One'] }],
  inputs: ['One', { input: 'One' }],
  return_text: [true, { return_documents: true }],
  text: ['Hello', { input: 'Hello' }],
  ...alike('speaker voice_id', ['someone', { voice: 'someone' }]),
  speaking_rate: [2, { speed: 2 }],
  ...alike('steps step sample_steps num_steps', [9, { num_inference_steps: 9 }]),
  cfg_scale: [3, { guidance_scale: 3 }],
  guidance: [3, { guidance_scale: 3 }],
  ...alike('num_images num_images_per_prompt batch_size num_outputs', [2, { n: 2 }]),
  ...alike('num_outputs_per_prompt samples n_iter', [2, { n: 2 }]),
  image_size: ['512x512', { size: '512x512' }],
  resolution: ['512x512', { size: '512x512' }],
  initial_prompt: ['Names', { prompt: 'Names' }],
  output_format: ['srt', { response_format: 'srt' }],
  ...alike('source_language language_code lang', ['fr', { language: 'fr' }]),
};
/** The same, where an endpoint spells it otherwise. */
const actingHere: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  '/responses': Object.fromEntries(
    ['n_predict', 'num_predict', 'max_new_tokens', 'max_completion_tokens'].map((name) => [
      name,
      { max_output_tokens: 7 },
    ]),
  ),
  '/embeddings': { texts: { input: ['One'] } },
  '/detect': { inputs: { image: 'One' } },
};
/** Fields that stand for one that the smallest body has already. */
const needed = new Set([
  'inputs',
  'texts',
  'text',
  'content',
  'passages',
  'source',
  'image_url',
  'max_completion_tokens',
  'n_predict',
  'num_predict',
  'max_new_tokens',
]);
const values = ['x', 'url', 7, 3.5, -100, true, false, ['x'], { a: 1 }];

const endpoints = [...categories.values()]
  .flatMap((category) => category.endpoints)
  .filter(
    (endpoint): endpoint is Endpoint => 'read' in endpoint && endpoint.requestBody?.foreign !== undefined,
  );
const rowsWhere = (test: (field: ForeignField) => boolean): [path: string, name: string][] =>
  endpoints.flatMap(({ path, requestBody }) =>
    Object.entries(requestBody!.foreign!).flatMap(([name, field]): [string, string][] =>
      test(field) ? [[path, name]] : [],
    ),
  );
const rowOf = (path: string, name: string): ForeignField =>
  endpoints.find((one) => one.path === path)!.requestBody!.foreign![name]!;

/** What the endpoint makes of a body; words of the body that the answer repeats are left out. */
async function read(path: string, body: object): Promise<unknown> {
  const { read: reads, uploadField } = endpoints.find((one) => one.path === path)!;
  const form = {
    fields: Object.entries(body).map(([name, value]) => ({ name, value: String(value) })),
    path: 'p',
  };
  const caller = { unseal: () => undefined, kept: undefined } as never;
  const pieces = ((check: () => unknown) => check()) as never;
  const budget = { pieces, pause: async () => undefined, hold: () => undefined };
  const call = (await reads(uploadField === undefined ? body : form, caller, budget)) as { body?: unknown };
  const { body: _repeated, ...rest } = { ...call, fieldOf: undefined };
  return rest;
}

const faultOf = (path: string, body: object): Promise<unknown> =>
  read(path, body).then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a field that has another name here', () => {
  it.each(rowsWhere((field) => 'as' in field))('%s: %s acts', async (path, name) => {
    const [value, usual] = acting[name]!;
    const same = actingHere[path.replace('/input_tokens', '')]?.[name] ?? usual;
    const body: Record<string, unknown> = { ...bodies[path] };
    if (needed.has(name)) for (const own of Object.keys(same)) delete body[own];
    const answer = await read(path, { ...body, [name]: value });
    expect(answer).toEqual(await read(path, { ...body, ...same }));
    expect(answer).not.toEqual(await faultOf(path, body).then(() => read(path, bodies[path]!)));
    expect(await faultOf(path, { ...body, ...same, [name]: value })).toMatchObject({ param: name });
  });

  it.each([
    [{ n_predict: 0 }, 'n_predict', /^n_predict: expected an integer/],
    [{ regex: 'a', guided_json: {} }, 'regex', /second one/],
  ])('%j: an error names the given field', async (additions, param, message) => {
    const fault = await faultOf('/chat/completions', { ...chat, ...additions });
    expect(fault).toMatchObject({ code: 'invalid_request', param });
    expect((fault as Error).message).toMatch(message);
  });
});

describe('a field that is not honored', () => {
  const refused = rowsWhere((field) => !('as' in field) && !('ignored' in field));
  it.each(refused)('%s: %s is refused by name, with what to do', async (path, name) => {
    const field = rowOf(path, name) as { harmless?: (value: unknown) => boolean; advice?: string };
    const shown =
      endpoints.find((one) => one.path === path)!.uploadField === undefined ? values : ['x', 'false'];
    const value = shown.find((one) => !field.harmless?.(one));
    const fault = await faultOf(path, { ...bodies[path], [name]: value });
    expect(InferenceError.isInstance(fault)).toBe(true);
    expect(fault).toMatchObject({ code: 'unsupported_feature', param: name });
    const advice = field.advice ?? 'this feature is not offered';
    expect((fault as Error).message).toBe(`${name}: not supported, ${advice}.`);
    expect(await read(path, { ...bodies[path], [name]: null })).toEqual(await read(path, bodies[path]!));
  });
});

// Those that count tokens know all fields of the answer that isn't made.
const ignored = rowsWhere((field) => 'ignored' in field).filter(
  ([path]) => !/(?:count|input)_tokens/.test(path),
);
it.each(ignored)('%s: %s changes nothing', async (path, name) => {
  expect(await read(path, { ...bodies[path], [name]: 'x' })).toEqual(await read(path, bodies[path]!));
});
