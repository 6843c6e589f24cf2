import { describe, expect, it } from 'vitest';
import { expectError } from '../server/support.ts';
import { serve, type Path } from './api.ts';

// The tables of the specification, written down once more: whatever the code's own tables say, these hold.
type Numeric = [
  field: string,
  type: 'float' | 'integer',
  byDefault: number | 'random',
  min: number,
  max: number,
];

const numbers: Record<Path, { name: string; model: string; rows: Numeric[] }> = {
  '/v1/chat/completions': {
    name: 'chat request',
    model: 'thinker',
    rows: [
      ['temperature', 'float', 0.7, 0, 2],
      ['max_tokens', 'integer', 256, 1, 131_072],
      ['top_p', 'float', 1, 0, 1],
      ['frequency_penalty', 'float', 0, -2, 2],
      ['presence_penalty', 'float', 0, -2, 2],
      ['repeat_penalty', 'float', 1.1, 0, 3],
      ['top_k', 'integer', 0, 0, 500],
      ['min_p', 'float', 0.05, 0, 1],
      ['typical_p', 'float', 1, 0, 1],
      ['tfs_z', 'float', 1, 0, 1],
      ['mirostat_mode', 'integer', 0, 0, 2],
      ['mirostat_tau', 'float', 5, 0, 10],
      ['mirostat_eta', 'float', 0.1, 0, 1],
      ['seed', 'integer', 'random', 0, 2 ** 31],
      ['n', 'integer', 1, 1, 5],
    ],
  },
  '/v1/images/generations': {
    name: 'image generation request',
    model: 'painter',
    rows: [
      ['num_inference_steps', 'integer', 4, 1, 150],
      ['guidance_scale', 'float', 7.5, 1, 30],
      ['width', 'integer', 1024, 256, 2048],
      ['height', 'integer', 1024, 256, 2048],
      ['seed', 'integer', 'random', 0, 2 ** 31],
      ['n', 'integer', 1, 1, 4],
    ],
  },
  '/v1/audio/transcriptions': {
    name: 'speech-to-text request',
    model: 'listener',
    rows: [['temperature', 'float', 0, 0, 1]],
  },
  '/v1/audio/speech': {
    name: 'text-to-speech request',
    model: 'speaker',
    rows: [['speed', 'float', 1, 0.25, 4]],
  },
  '/v1/detect': {
    name: 'object detection request',
    model: 'finder',
    rows: [
      ['confidence', 'float', 0.25, 0.01, 1],
      ['iou_threshold', 'float', 0.45, 0.1, 1],
      ['max_detections', 'integer', 100, 1, 300],
      ['image_size', 'integer', 640, 320, 1280],
    ],
  },
  '/v1/embeddings': { name: 'embeddings request', model: 'embedder', rows: [] },
};

/** Left to the model where the caller leaves them out; what the models do then is tested with them. */
const leftToModels = new Set(['iou_threshold', 'image_size']);

const toCamelCase = (field: string): string =>
  field.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

for (const [path, { name, model, rows }] of Object.entries(numbers) as [Path, (typeof numbers)[Path]][]) {
  if (rows.length === 0) continue;
  describe(name, () => {
    it.each(rows)('%s', async (field, type, byDefault, min, max) => {
      const service = serve();
      const handedOn = async (body: object): Promise<unknown> => {
        const answer = await service.post(path, body);
        expect(answer.status, answer.text).toBe(200);
        return service.last(path)[toCamelCase(field)];
      };
      const omitted = byDefault === 'random' || leftToModels.has(field) ? undefined : byDefault;
      expect(await handedOn({})).toBe(omitted);

      const step = { width: 64, height: 64 }[field] ?? (type === 'integer' ? 1 : 0.125);
      for (const value of [min, min + step, max - step, max]) {
        expect(await handedOn({ [field]: value })).toBe(value);
      }
      const outside = [min - step, max + step, min - 1e-6, max + 1e-6, 1e9 * max, -1e9];
      const fractions = type === 'integer' ? [min + 0.5] : [];
      for (const value of [...outside, ...fractions, 'high']) {
        expectError(await service.post(path, { [field]: value }), 400, 'invalid_request', field);
      }

      const { json } = await service.get(`/v1/models/${model}/parameters`);
      expect(json.parameters[field]).toMatchObject({ type: type === 'integer' ? 'int' : 'float', min, max });
      expect(json.parameters[field].default).toBe(byDefault === 'random' ? undefined : byDefault);
    });
  });
}

type Refused = readonly unknown[];
interface Other {
  readonly path: Path;
  /** What the request handed on has where the field is left out; `required` where it may not be. */
  readonly byDefault: unknown;
  readonly property?: string;
  /** A given value, and what is handed on. */
  readonly accepted: readonly (readonly [given: unknown, handedOn: unknown])[];
  readonly refused: Refused;
}
const same = (...values: unknown[]) => values.map((value) => [value, value] as const);
const required = Symbol('required');
const noText: Refused = [7, true, null, [], {}];

const others: Record<string, Record<string, Other>> = {
  'chat request': {
    model: {
      path: '/v1/chat/completions',
      byDefault: required,
      accepted: same('thinker'),
      refused: [7, null, ['thinker']],
    },
    messages: {
      path: '/v1/chat/completions',
      byDefault: required,
      accepted: same([
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ]),
      refused: ['Hello', [], [{ role: 'user' }], [{ content: 'Hello' }], [{ role: 'user', content: 7 }]],
    },
    stop: {
      path: '/v1/chat/completions',
      byDefault: [],
      accepted: [
        ['END', ['END']],
        [null, []],
        [
          ['a', 'b', 'c', 'd'],
          ['a', 'b', 'c', 'd'],
        ],
      ],
      refused: [['a', 'b', 'c', 'd', 'e'], 7, [7], {}],
    },
    include_reasoning: {
      path: '/v1/chat/completions',
      byDefault: true,
      accepted: same(true, false),
      refused: ['true', 1],
    },
    tool_choice: {
      path: '/v1/chat/completions',
      byDefault: 'auto',
      accepted: same('auto', 'none'),
      refused: ['sometimes', true, 1],
    },
  },
  'image generation request': {
    prompt: {
      path: '/v1/images/generations',
      byDefault: required,
      accepted: same('Ein roter Kreis, 圆圈 and anything else!'),
      refused: noText,
    },
    model: {
      path: '/v1/images/generations',
      byDefault: 'painter',
      accepted: [
        ['', 'painter'],
        ['painter', 'painter'],
      ],
      refused: [7, {}],
    },
    negative_prompt: {
      path: '/v1/images/generations',
      byDefault: '',
      accepted: same('', 'blue'),
      refused: [7, {}],
    },
  },
  'speech-to-text request': {
    model: {
      path: '/v1/audio/transcriptions',
      byDefault: 'listener',
      accepted: same('listener'),
      refused: ['thinker'],
    },
    language: {
      path: '/v1/audio/transcriptions',
      byDefault: undefined,
      accepted: same('en', 'de'),
      refused: ['tlh'],
    },
  },
  'text-to-speech request': {
    input: {
      path: '/v1/audio/speech',
      byDefault: required,
      accepted: same('two blue squares'),
      refused: noText,
    },
    model: { path: '/v1/audio/speech', byDefault: 'speaker', accepted: same('speaker'), refused: [7] },
    voice: {
      path: '/v1/audio/speech',
      byDefault: 'af_heart',
      accepted: same('af_heart'),
      refused: ['nobody', 7],
    },
  },
  'object detection request': {
    image: {
      path: '/v1/detect',
      byDefault: required,
      accepted: same('iVBORw0KGgo=', 'https://example.com/bus.jpg'),
      refused: noText,
    },
    model: { path: '/v1/detect', byDefault: 'finder', accepted: same('finder'), refused: [7] },
    classes: {
      path: '/v1/detect',
      byDefault: undefined,
      accepted: same('circle', 'circle,2'),
      refused: [2, ['circle']],
    },
  },
  'embeddings request': {
    input: {
      path: '/v1/embeddings',
      property: 'inputs',
      byDefault: required,
      accepted: [
        ['a text', ['a text']],
        [
          ['one', 'two'],
          ['one', 'two'],
        ],
      ],
      refused: [7, null, {}, [], ['']],
    },
    model: { path: '/v1/embeddings', byDefault: 'embedder', accepted: same('embedder'), refused: [7] },
  },
};

for (const [name, fields] of Object.entries(others)) {
  describe(name, () => {
    it.each(Object.entries(fields))('%s', async (field, { path, byDefault, accepted, refused, ...named }) => {
      const service = serve();
      const property = named.property ?? toCamelCase(field);
      const without = await service.post(path, { [field]: undefined });
      if (byDefault === required) expectError(without, 400, 'invalid_request', field);
      else {
        expect(without.status, without.text).toBe(200);
        expect(service.last(path)[property]).toEqual(byDefault);
      }
      for (const [given, handedOn] of accepted) {
        const answer = await service.post(path, { [field]: given });
        expect(answer.status, answer.text).toBe(200);
        expect(service.last(path)[property]).toEqual(handedOn);
      }
      for (const value of refused) {
        const answer = await service.post(path, { [field]: value });
        expect(answer.status, JSON.stringify(value)).toBe(400);
        expect(answer.json.error.param).toMatch(new RegExp(String.raw`^${field}\b`));
      }
    });
  });
}
