import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { differences, shorten } from './answers.ts';
import { allCodeBlocks, pages, readCodeBlocks, root, wholeCode, type CodeBlock } from './code-blocks.ts';
import { answersFile } from './endpoints.ts';
import { updateCommand, updatesPages } from './generated-page.ts';
import { makeMaterials } from './materials.ts';
import { missingProgram, needs } from '../needs.ts';
import { key, openWorkshop, type Workshop } from './workshop.ts';

// Every piece of code in the README and the pages is run as it stands there, or says why it can't be.
const blocks = allCodeBlocks();
const runnable = new Set(['js', 'ts', 'sh']);
const ofLanguage = (...languages: string[]): CodeBlock[] =>
  blocks.filter(({ language }) => languages.includes(language));
/** Those that are continued run with what continues them. */
const toRun = (...languages: string[]): CodeBlock[] => {
  const chosen = ofLanguage(...languages);
  return chosen.filter(({ notRun, file, page, language }, index) => {
    const next = chosen.slice(index + 1).find((other) => other.page === page && other.language === language);
    return notRun === undefined && file === undefined && next?.continues !== true;
  });
};
const cases = (chosen: readonly CodeBlock[]) => chosen.map((block) => [block.place, block] as const);

/** In JavaScript the key comes from the environment, as *Start here* sets it. */
const withKey = { SLASHV1_API_KEY: key };
const mark = '--- pasted ';

let workshop: Workshop;
let example: ReturnType<Workshop['serve']> | undefined;

beforeAll(async () => {
  workshop = await openWorkshop();
  const { scene, meeting } = await makeMaterials();
  workshop.add('scene.png', scene);
  workshop.add('meeting.wav', meeting);
  for (const name of ['tokenizer.json', 'tokenizer_config.json']) {
    workshop.add(name, readFileSync(join(root, 'examples/models/tiny-chat', name)));
  }
  for (const { file, code, language } of blocks) {
    if (file !== undefined) workshop.add(file.replace(/\.ts$/, '.js'), toJavaScript(code, language));
  }
  for (const { code } of blocks) workshop.addModels(code);
}, 120_000);

afterAll(async () => {
  await (await example)?.stop();
  await workshop.close();
});

/** The first chat model of a service answers. */
async function expectService(origin: string, path: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const base = `${origin}${path}`;
  // A service may say that its models are being loaded, and when to ask again.
  const listed = await vi.waitFor(
    async () => {
      const response = await fetch(`${base}/models`, { headers });
      expect(response.status, await response.clone().text()).toBe(200);
      return response;
    },
    { timeout: 60_000, interval: 200 },
  );
  const { data } = (await listed.json()) as { data: { id: string; category: string }[] };
  const model = data.find(({ category }) => category === 'chat')?.id;
  if (model === undefined) return;
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 8 });
  const answer = await fetch(`${base}/chat/completions`, { method: 'POST', headers, body });
  expect(answer.status, await answer.text()).toBe(200);
}

async function expectToServe(command: readonly string[], path: string): Promise<void> {
  const service = await workshop.serve(command, { environment: withKey });
  try {
    await expectService(service.origin, path);
  } finally {
    await service.stop();
  }
}

const startExample = () =>
  (example ??= workshop.serve([process.execPath, join(root, 'examples/serve.js')], { environment: withKey }));

/** The code with a free port's address in place of the one that it asks. */
const toOrigin = (code: string, origin: string): string =>
  code.replaceAll(/http:\/\/(?:127\.0\.0\.1|localhost):\d+/g, origin);

const compilerOptions = {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ESNext,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
} as const;

function toJavaScript(code: string, language: string): string {
  if (language === 'js') return code;
  return ts.transpileModule(code, { compilerOptions, fileName: 'block.mts' }).outputText;
}

// Most of their time they wait for processes to start and to end.
describe.concurrent('JavaScript and TypeScript', () => {
  it.each(cases(toRun('js', 'ts')))('%s', { timeout: 300_000 }, async (place, block) => {
    const name = `${place.replaceAll(/\W+/g, '-')}.mjs`;
    let script = toJavaScript(wholeCode(block, blocks), block.language);
    if (script.includes('http://127.0.0.1:8000')) {
      script = toOrigin(script, (await startExample()).origin);
    }
    workshop.add(name, script);
    const command = [process.execPath, name];
    if (block.serves !== undefined) return expectToServe(command, block.serves);
    const { code, output } = await workshop.run(command, { environment: withKey });
    expect({ code, output }).toEqual({ code: 0, output: expect.not.stringMatching(/\bError\b/) });
  });
});

/**
 * Pastes the shell blocks of a page in their order: into a new shell with an empty folder and environment, and into another
 * one after each block that serves.
 *
 * @returns output of each block by its place
 */
async function paste(page: string): Promise<Map<string, string>> {
  const folder = join(workshop.folder, 'pasted', page.replaceAll(/\W+/g, '-'));
  mkdirSync(folder, { recursive: true });
  for (const block of blocks) {
    if (block.page === page && block.file !== undefined) writeFileSync(join(folder, block.file), block.code);
  }
  const outputs = new Map<string, string>();
  let service: Awaited<ReturnType<Workshop['serve']>> | undefined;
  let pasted: CodeBlock[] = [];
  const run = async (): Promise<void> => {
    if (pasted.length === 0) return;
    let script = pasted.map(({ code, place }) => `echo '${mark}${place}'\n${code}`).join('\necho\n');
    if (script.includes('http://127.0.0.1:8000'))
      script = toOrigin(script, (service ?? (await startExample())).origin);
    const { code, output } = await workshop.run(['bash', '-ec', script], { folder });
    expect({ code, output }).toMatchObject({ code: 0 });
    for (const part of output.split(mark).slice(1)) {
      const end = part.indexOf('\n');
      outputs.set(part.slice(0, end), part.slice(end + 1).trim());
    }
    pasted = [];
  };
  try {
    for (const block of toRun('sh').filter((one) => one.page === page)) {
      if (block.serves === undefined) {
        pasted.push(block);
        continue;
      }
      await run();
      await service?.stop();
      const environment = block.code.includes('SLASHV1_API_KEY=') ? {} : withKey;
      service = await workshop.serve(['bash', '-ec', block.code], { folder, environment });
      await expectService(service.origin, block.serves);
    }
    await run();
  } finally {
    await service?.stop();
  }
  return outputs;
}

/** The answer that a page shows right after a request. */
function answerAfter(block: CodeBlock): unknown {
  const end = block.line + block.code.split('\n').length;
  const shown = blocks.find(
    ({ page, line, language }) => page === block.page && line === end + 2 && language === 'json',
  );
  return shown && JSON.parse(shown.code);
}

describe.concurrent('shell', needs(missingProgram('bash', 'curl')), () => {
  it.each([...new Set(toRun('sh').map(({ page }) => page))])(
    'the blocks of %s work as they are pasted, and answer what it shows',
    { timeout: 300_000 },
    async (page) => {
      const outputs = await paste(page);
      for (const block of toRun('sh').filter(({ place }) => outputs.has(place))) {
        const shown = answerAfter(block);
        const output = outputs.get(block.place)!;
        const real =
          output.startsWith('{') && (shown !== undefined || page.startsWith('docs/endpoints/'))
            ? (JSON.parse(output) as unknown)
            : undefined;
        const different = differences(shown, real);
        const isGenerated = page.startsWith('docs/endpoints/');
        if (different.length > 0 && updatesPages && isGenerated) keepAnswer(page, real);
        const advice = `\nTo keep the answers: ${updateCommand()}\nand to write the pages: UPDATE_DOCS=1 npx vitest run test/docs/endpoints.test.ts`;
        expect(different, `${block.place} shows another answer${isGenerated ? advice : ''}`).toEqual([]);
      }
    },
  );
});

function keepAnswer(page: string, answer: unknown): void {
  const [title] = readFileSync(join(root, page), 'utf8').split('\n');
  const answers = JSON.parse(readFileSync(answersFile, 'utf8')) as Record<string, unknown>;
  answers[title!.slice(2)] = shorten(answer);
  writeFileSync(answersFile, JSON.stringify(answers, undefined, 2));
}

describe('JSON', () => {
  it.each(cases(ofLanguage('json')))('%s', (_place, { code }) => {
    expect(() => JSON.parse(code) as unknown).not.toThrow();
  });
});

describe('types', () => {
  it('are right in strict TypeScript', { timeout: 300_000 }, () => {
    // Also JavaScript, since readers paste it into TypeScript; a detector's head is a file of JavaScript, and some have globals.
    const others = new Set([
      'a module of its own',
      'test/deploy/installed.test.ts builds it',
      'it needs the globals of Jest',
    ]);
    const pasted = ofLanguage('js', 'ts').filter(({ notRun = '' }) => !others.has(notRun));
    const sources = new Map(
      pasted.map((block) => {
        const name = `types-${block.place.replaceAll(/\W+/g, '-')}.mts`;
        workshop.add(name, wholeCode(block, blocks));
        return [join(workshop.folder, name), block.place];
      }),
    );
    const program = ts.createProgram([...sources.keys()], {
      allowJs: true,
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      ...compilerOptions,
      lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    });
    const faults = ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
      const place = sources.get(file?.fileName ?? '') ?? file?.fileName;
      return `${place}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
    expect(faults).toEqual([]);
  });
});

describe('what is not run', () => {
  it('ends on a line of its own', () => {
    const broken = pages().flatMap((page) =>
      readFileSync(join(root, page), 'utf8')
        .split('\n')
        .filter((line) => /^[^`]+```$/.test(line)),
    );
    expect(broken).toEqual([]);
  });

  it('says why', () => {
    const reasons = blocks
      .filter(({ language, notRun }) => runnable.has(language) && notRun !== undefined)
      .map(({ page, notRun }) => `${page}: ${notRun}`);
    expect(reasons).toEqual([
      'README.md: it would start itself; the tests of examples/serve.js and examples/tour.js run these lines',
      'README.md: it would start itself',
      'README.md: test/docs/packed-package.test.ts packs both and runs them in projects with and without the optional packages',
      'README.md: test/docs/packed-package.test.ts does it',
      'docs/ai-sdk.md: it installs packages',
      'docs/detection.md: a module of its own',
      'docs/endpoints/audio-translations.md: the bundled recognizer does not translate',
      'docs/faq.md: it downloads a model',
      'docs/faq.md: it needs a downloaded model',
      'docs/guides/bundlers.md: it needs esbuild',
      'docs/guides/clients.md: it needs another program',
      'docs/guides/clients.md: it needs a downloaded model',
      'docs/guides/clients.md: it needs another program',
      'docs/guides/clients.md: it needs another program',
      'docs/guides/gguf.md: it installs packages',
      'docs/guides/gguf.md: it downloads a model',
      'docs/guides/gpu.md: it needs a GPU',
      'docs/guides/gpu.md: it downloads a model',
      'docs/guides/gpu.md: it downloads a model',
      'docs/guides/gpu.md: it takes minutes, and --prepare downloads models',
      'docs/guides/mounting.md: test/deploy/installed.test.ts builds it',
      'docs/guides/real-models.md: it needs a GPU',
      'docs/guides/real-weights.md: it downloads half a gigabyte and takes minutes',
      'docs/guides/testing.md: it needs Jest',
      'docs/guides/testing.md: it needs the globals of Jest',
      'docs/guides/webgpu-tests.md: it installs software',
      'docs/guides/webgpu-tests.md: it takes minutes',
      'docs/pictures.md: the picture is a word',
      'docs/remote.md: there is no gpu-1',
      'docs/remote.md: there is no gpu-1',
      'docs/remote.md: there is no gpu-1',
      'docs/remote.md: there is no gpu-2',
      'docs/remote.md: there is no gpu-2',
      'docs/responses.md: there is no Redis',
      'docs/speech.md: the demo voice has no durations',
      'docs/stability.md: it changes package.json',
      'docs/start-here.md: the tests of examples/serve.js run this service',
      'docs/transformers.md: it installs packages',
      'docs/transformers.md: the models are on the Hugging Face Hub',
      'docs/voice-agents.md: it needs a microphone',
    ]);
  });
});

describe('pages', () => {
  const documents = [...pages(), 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'benchmarks/README.md'];
  const proseOf = (page: string): string =>
    readFileSync(join(root, page), 'utf8').replaceAll(/^(`{3,})[^]*?^\1$/gm, '');

  /** The anchors that GitHub gives the headings of a page. */
  const anchorsOf = (page: string): Set<string> => {
    const anchors = new Set<string>();
    for (const [, heading] of proseOf(page).matchAll(/^#+ +(.+)$/gm)) {
      const words = heading!.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
      const slug = words.replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-');
      let anchor = slug;
      for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
      anchors.add(anchor);
    }
    return anchors;
  };

  it.each(documents)('%s links to files and headings that exist', (page) => {
    const targets = [...proseOf(page).matchAll(/\]\(([^)\s#]*)(?:#([^)\s]*))?\)|src(?:set)?="([^"]+)"/g)];
    const broken = targets.filter(([, link, anchor, source]) => {
      const target = link ?? source ?? '';
      if (/^\w+:/.test(target)) return false;
      const file = target === '' ? page : join(page, '..', target);
      if (!existsSync(join(root, file))) return true;
      return anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).has(anchor);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

describe('the search for code', () => {
  it('knows what is said about a block', () => {
    const found = readCodeBlocks('test/docs/example-page.md');
    expect(
      found.map(({ place, language, notRun, continues, serves, file }) => ({
        place,
        language,
        notRun,
        continues,
        serves,
        file,
      })),
    ).toEqual([
      {
        place: 'test/docs/example-page.md:3',
        language: 'js',
        notRun: undefined,
        continues: false,
        serves: undefined,
        file: undefined,
      },
      {
        place: 'test/docs/example-page.md:13',
        language: 'js',
        notRun: undefined,
        continues: true,
        serves: undefined,
        file: undefined,
      },
      {
        place: 'test/docs/example-page.md:20',
        language: 'sh',
        notRun: 'it needs a GPU, which nobody here has',
        continues: false,
        serves: undefined,
        file: undefined,
      },
      {
        place: 'test/docs/example-page.md:26',
        language: 'js',
        notRun: undefined,
        continues: false,
        serves: '/v1',
        file: undefined,
      },
    ]);
    expect(wholeCode(found[1]!, found)).toBe('const one = 1;\n\nconsole.log(one);\n');
  });
});
