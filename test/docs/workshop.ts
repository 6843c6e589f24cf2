import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { catalogue, type CatalogueEntry } from '../../src/folder/catalogue.ts';
import { readFolder, startHub } from '../hub/hub-server.ts';
import { root } from './code-blocks.ts';

/** The key of everything that the pages serve, and which the README tells its readers to take. */
export const key = 'sk-local';

const bundled = {
  chat: 'tiny-chat',
  detection: 'tiny-detect',
  embedding: 'tiny-embed',
  image: 'tiny-image',
  rerank: 'tiny-rerank',
  speech: 'tiny-speech',
  transcription: 'tiny-whisper',
} as const satisfies Record<CatalogueEntry['category'], string>;

/**
 * A project in which the code of the pages runs as it stands there: `slashv1` is this package, its dependencies are
 * there, every model of the hub is the bundled one of its category, and every port is a free one.
 */
export interface Workshop {
  readonly folder: string;
  /** Writes a file that code finds by its name. */
  add(name: string, content: string | Uint8Array): void;
  /** Makes `./models/…`, as code names them, folders of bundled models. */
  addModels(code: string): void;
  /** Runs a program to its end. */
  run(command: readonly string[], options?: RunOptions): Promise<{ code: number | null; output: string }>;
  /** Starts a program that serves; resolves when it listens. */
  serve(
    command: readonly string[],
    options?: RunOptions,
  ): Promise<{ origin: string; output: () => string; stop: () => Promise<void> }>;
  close(): Promise<void>;
}

interface RunOptions {
  /** Default: none of the pages' own, as in a new shell. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Default: the folder of the workshop. */
  readonly folder?: string;
}

export async function openWorkshop(): Promise<Workshop> {
  const folder = await mkdtemp(join(tmpdir(), 'slashv1-docs-'));
  const hub = await startHub();
  const files = new Map(Object.values(bundled).map((model) => [model, inSeveralDtypes(model)]));
  for (const { source, category } of Object.values<CatalogueEntry>(catalogue)) {
    hub.models.set(source.split('@')[0]!, files.get(bundled[category as keyof typeof bundled])!);
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  linkPackages(join(folder, 'node_modules'));
  const preload = join(folder, 'free-ports.mjs');
  writeFileSync(preload, freePorts);
  let services = 0;
  // Nothing of the tester's environment: a block finds what its page told the reader to set.
  const environment: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    HOME: folder,
    HF_ENDPOINT: hub.endpoint,
    SLASHV1_CACHE: join(folder, 'cache'),
    NODE_OPTIONS: `--import=${preload}`,
    PORTS_FILE: join(folder, 'ports'),
  };
  writeFileSync(join(folder, '.curlrc'), 'fail-with-body\nsilent\nshow-error\nmax-time = 60\n');

  const start = (
    command: readonly string[],
    { environment: more, folder: cwd = folder }: RunOptions = {},
  ) => {
    const [program, ...parameters] = command;
    const child = spawn(program!, parameters, {
      cwd,
      env: { ...environment, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let output = '';
    const read = (chunk: Buffer): void => void (output += chunk.toString());
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    return { child, output: () => output };
  };

  return {
    folder,
    add(name, content) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    },
    addModels(code) {
      for (const [, category, path] of code.matchAll(/\b(\w+)\(\{\s*source: '\.\/(models\/[^']+)'/g)) {
        const link = join(folder, path!);
        if (existsSync(link)) continue;
        const model = join(root, 'examples/models', bundled[category as keyof typeof bundled]);
        mkdirSync(dirname(link), { recursive: true });
        symlinkSync(path!.endsWith('.onnx') ? join(model, 'onnx/model.onnx') : model, link);
      }
    },
    async run(command, options) {
      const { child, output } = start(command, options);
      const timer = setTimeout(() => endGroup(child, 'SIGKILL'), 290_000);
      const [code] = (await once(child, 'close')) as [number | null];
      clearTimeout(timer);
      return { code, output: output() };
    },
    async serve(command, options) {
      const portsFile = join(folder, `ports-${(services += 1)}`);
      writeFileSync(portsFile, '');
      const { child, output } = start(command, {
        ...options,
        environment: { ...options?.environment, PORTS_FILE: portsFile },
      });
      const port = await new Promise<string>((resolve, reject) => {
        const look = setInterval(() => {
          const [first] = readFileSync(portsFile, 'utf8').trim().split('\n');
          if (first) done(() => resolve(first));
        }, 20);
        const done = (settle: () => void): void => {
          clearInterval(look);
          settle();
        };
        child.once('close', (code) => done(() => reject(new Error(`it ended with ${code}: ${output()}`))));
      });
      return {
        origin: `http://127.0.0.1:${port}`,
        output,
        async stop() {
          if (child.exitCode !== null || child.signalCode !== null) return;
          const closed = once(child, 'close');
          endGroup(child, 'SIGTERM');
          const timer = setTimeout(() => endGroup(child, 'SIGKILL'), 15_000);
          await closed;
          clearTimeout(timer);
        },
      };
    },
    async close() {
      await hub.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Whatever port is asked for, a free one is taken and written down. */
const freePorts = `
import { appendFileSync } from 'node:fs';
import { Server } from 'node:net';
const { listen } = Server.prototype;
Server.prototype.listen = function (...given) {
  const callback = given.findLast((value) => typeof value === 'function');
  this.once('listening', () => appendFileSync(process.env.PORTS_FILE, this.address().port + '\\n'));
  return listen.call(this, { port: 0, host: '127.0.0.1' }, callback);
};
`;

/** With graphs under the names of the dtypes that the pages ask for: what is checked here is the way to them. */
function inSeveralDtypes(model: string): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (const [path, content] of readFolder(join(root, 'examples/models', model))) {
    if (path.startsWith('recipe')) continue;
    const suffixes = path.endsWith('.onnx') ? ['', '_quantized', '_q4'] : [''];
    for (const suffix of suffixes) files.set(path.replace(/(?=\.\w+$)/, suffix), content);
  }
  return files;
}

function linkPackages(folder: string): void {
  mkdirSync(folder);
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(folder, name));
  }
  symlinkSync(root, join(folder, 'slashv1'));
  const { bin = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    bin?: Record<string, string>;
  };
  mkdirSync(join(folder, '.bin'));
  for (const [name, file] of Object.entries({ ...bin, vitest: 'node_modules/vitest/vitest.mjs' })) {
    const script = `#!/bin/sh\nexec '${process.execPath}' '${join(root, file)}' "$@"\n`;
    writeFileSync(join(folder, '.bin', name), script, { mode: 0o755 });
  }
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid!, signal);
  } catch {
    // It has ended by itself.
  }
}
