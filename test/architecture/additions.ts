/** One new thing, added by a file and a line of a list. */
export interface Addition {
  /** First words of its row in `docs/architecture.md`. */
  readonly row: string;
  /** The new file, below `src/`. */
  readonly file: string;
  readonly text: string;
  /** The list, below `src/`. */
  readonly list: string;
  /** Text of the list after which the new entry stands. */
  readonly after: string;
  readonly entry: string;
  /** The new file's export that the entry names. */
  readonly name: string;
  /** Body of an async function that uses the new thing by the package's public functions. */
  readonly use: string;
  readonly result: unknown;
}

/** A sampler that keeps tokens of even ids. */
const sampler: Addition = {
  row: 'sampler',
  file: 'core/sampling/even.ts',
  text: `import { defineSampler } from './definition.ts';

export const evenSampler = defineSampler({
  parameters: {
    evenOnly: { type: 'int', min: 0, max: 1, default: 0, step: 1, section: 'advanced', description: 'Even ids.' },
  },
  neutral: { evenOnly: 0 },
  create: () => ({
    apply(candidates) {
      let kept = 0;
      for (let i = 0; i < candidates.size; i++) {
        if (candidates.tokens[i]! % 2 !== 0) continue;
        candidates.tokens[kept] = candidates.tokens[i]!;
        candidates.logits[kept++] = candidates.logits[i]!;
      }
      candidates.size = kept;
      return candidates;
    },
  }),
});
`,
  list: 'core/sampling/samplers.ts',
  after: '\n  topKSampler,',
  entry: '\n  evenSampler,',
  name: 'evenSampler',
  use: `
    const { createSampler } = await import('slashv1/sampling');
    const { chat, createHandler, createInference } = await import('slashv1');
    const { toFetch } = await import('slashv1/fetch');
    const sampler = createSampler({ evenOnly: 1, minP: 0 }, { vocabularySize: 4, seed: 1 });
    const logits = new Float32Array([0, 9, 0, 9]);
    const tokens = Array.from({ length: 20 }, () => sampler.sample(logits));
    const inference = createInference({ models: { m: chat({ source: 'tiny-chat', loadOnDemand: true }) } });
    const messages = [{ role: 'user', content: 'Hello' }];
    const refusal = await inference.chat({ model: 'm', messages, evenOnly: 2 }).next().catch((error) => error.message);
    const answer = toFetch(createHandler(inference, { auth: 'none' }));
    const ask = async (path) => (await answer(new Request('http://localhost/v1/' + path))).json();
    const { parameters } = await ask('models/m/parameters');
    const { even_only: documented } = (await ask('openapi.json')).components.schemas.ChatCompletionRequest.properties;
    await inference.close();
    return {
      drawn: [...new Set(tokens)].sort(),
      refusal,
      discovered: parameters.even_only.max,
      documented: documented.description,
    };`,
  result: {
    drawn: [0, 2],
    refusal: 'even_only: expected a value from 0 to 1, got 2.',
    discovered: 1,
    documented: 'Even ids.',
  },
};

const scheduler: Addition = {
  row: 'scheduler',
  file: 'core/diffusion/schedulers/still.ts',
  text: `import type { ConfigReader } from './config.ts';
import type { Scheduler } from './scheduler.ts';

/** Leaves the image as it is. */
export function createStill(_config: ConfigReader, steps: number): Scheduler {
  return {
    timesteps: Array.from({ length: steps }, (_, step) => steps - 1 - step),
    initialNoiseScale: 1,
    inputScale: () => 1,
    step: (_step, sample) => sample,
  };
}
`,
  list: 'core/diffusion/schedulers/create-scheduler.ts',
  after: 'const creators = {',
  entry: '\n  StillScheduler: createStill,',
  name: 'createStill',
  use: `
    const { createScheduler } = await import('slashv1/diffusion');
    return createScheduler({ _class_name: 'StillScheduler' }, { steps: 3 }).timesteps;`,
  result: [2, 1, 0],
};

const toolCallFormat: Addition = {
  row: 'tool-call format',
  file: 'core/chat/tool-calls/arrows.ts',
  text: `import { createFormat, recognizes } from './format.ts';
import type { FormatRow } from './rows.ts';

/** A list of JSON objects between arrows. */
export const arrowsRow: FormatRow = {
  format: createFormat('arrows', [
    {
      origin: 'row',
      kind: 'json',
      begin: '-->[',
      between: ', ',
      end: ']<--',
      before: '{"name": "⟨name⟩", "arguments": ',
      behind: '}',
    },
  ]),
  detect: recognizes('-->'),
};
`,
  list: 'core/chat/tool-calls/rows.ts',
  after: 'export const formatRows: readonly FormatRow[] = [',
  entry: '\n  arrowsRow,',
  name: 'arrowsRow',
  use: `
    const { createAnswerParser, detectFormats } = await import('slashv1/chat');
    const { toolCalls } = detectFormats({ template: 'calls: -->[]<--', hasToken: () => false });
    const parser = toolCalls.createParser([{ name: 'look', parameters: {} }]);
    const events = [...parser.push('-->[{"name": "look", "arguments": {"at": 1}}]<--'), ...parser.flush()];
    return [toolCalls.name, events.map(({ type, name }) => name ?? type).filter((one) => one === 'look')];`,
  result: ['arrows', ['look']],
};

const tokenizerPart: Addition = {
  row: 'part of tokenizers',
  file: 'core/tokenization/normalizers/dots.ts',
  text: `import { createCharacterNormalizer } from './character-rewriter.ts';

/** Every comma becomes a dot. */
export const dots = createCharacterNormalizer((character) => (character === ',' ? '.' : character));
`,
  list: 'core/tokenization/normalizers/read-normalizer.ts',
  after: 'export const readNormalizer = byType<Normalizer>({',
  entry: '\n  Dots: () => dots,',
  name: 'dots',
  use: `
    const { createTokenizer } = await import('slashv1/tokenization');
    const tokenizer = createTokenizer({
      version: '1.0',
      normalizer: { type: 'Dots' },
      model: { type: 'WordLevel', vocab: { '.': 0, '?': 1 }, unk_token: '?' },
    });
    return [...tokenizer.encode(',').ids];`,
  result: [0],
};

const head: Addition = {
  row: 'detector head',
  file: 'core/vision/heads/corners.ts',
  text: `import { addCandidate, resetCandidates } from '../candidates.ts';
import type { DetectorHead } from './head.ts';

/** One box in each row. */
export const cornersHead: DetectorHead<'corners'> = {
  name: 'corners',
  shapes: '[n, 4]',
  find({ outputs: [only] }) {
    return only?.dims[1] === 4 ? { outputs: [only.name], classCount: 1 } : undefined;
  },
  decode(candidates, [{ data, dims }]) {
    resetCandidates(candidates, dims[0]!);
    for (let at = 0; at < data.length; at += 4) {
      addCandidate(candidates, data[at]!, data[at + 1]!, data[at + 2]!, data[at + 3]!, 1, 0);
    }
    return candidates;
  },
};
`,
  list: 'core/vision/heads/registry.ts',
  after: 'export const detectorHeads = [',
  entry: '\n  cornersHead,',
  name: 'cornersHead',
  use: `
    const { findHead } = await import('slashv1/vision');
    const { createInference, detection } = await import('slashv1');
    const refusals = ['corners', 'cornerz'].map((head) => {
      try {
        createInference({ models: { m: detection({ source: 'tiny-detect', head, loadOnDemand: true }) } });
      } catch (error) {
        return error.param;
      }
    });
    const outputs = [{ name: 'boxes', dims: [3, 4] }];
    return [findHead({ outputs, input: { width: 8, height: 8 } }).name, ...refusals.map(String)];`,
  result: ['corners', 'undefined', 'models.m.head'],
};

/** A model whose `config.json` names it, and which says that it was opened. */
function architecture(category: string): Addition {
  return {
    row: 'architecture',
    file: `categories/${category}/architectures/added/architecture.ts`,
    text: `import type { Architecture } from '../../../../contracts/architecture.ts';

export const addedArchitecture: Architecture<never> = {
  name: 'added',
  modelTypes: ['added-${category}'],
  files: { small: ['config.json'], stems: [], graphs: () => [] },
  open: () => Promise.reject(new Error('opened by ${category}')),
};
`,
    list: `categories/${category}/models.ts`,
    after: '[] = [',
    entry: 'addedArchitecture, ',
    name: 'addedArchitecture',
    use: `
    const { mkdtempSync, writeFileSync } = await import('node:fs');
    const { createInference } = await import('slashv1');
    const source = mkdtempSync('model-');
    writeFileSync(source + '/config.json', JSON.stringify({ model_type: 'added-${category}' }));
    const inference = createInference({ models: { m: { source: './' + source } }, isolation: 'inline' });
    const { message } = await inference.ready().catch((error) => error);
    await inference.close();
    return message.includes('opened by ${category}');`,
    result: true,
  };
}

/** All of them; those of a list that isn't there are left out. */
export const additions: readonly Addition[] = [
  sampler,
  scheduler,
  toolCallFormat,
  tokenizerPart,
  head,
  architecture('detection'),
  architecture('embedding'),
  architecture('image'),
  architecture('rerank'),
  architecture('speech'),
  architecture('transcription'),
];
