import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, totalmem } from 'node:os';
import { promisify } from 'node:util';
import { packageVersion } from '../../src/cli/command-line.ts';

/** The computer and the programs that a result belongs to. */
export interface Machine {
  readonly processor: string;
  readonly processors: number;
  readonly memoryBytes: number;
  /** Names of the graphics processors that could be found out. */
  readonly gpus: readonly string[];
  readonly platform: string;
  readonly versions: {
    readonly slashv1: string;
    readonly node: string;
    readonly onnxruntime: string;
  };
}

export async function describeMachine(): Promise<Machine> {
  const manifest = createRequire(import.meta.url).resolve('onnxruntime-node/package.json');
  const { version: onnxruntime } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  return {
    processor: cpus()[0]?.model.trim() ?? '',
    processors: cpus().length,
    memoryBytes: totalmem(),
    gpus: await findGpus(),
    platform: `${process.platform} ${process.arch}`,
    versions: { slashv1: packageVersion(), node: process.version, onnxruntime },
  };
}

/** Asks the tools of the driver or of the system; a machine without them has no names. */
async function findGpus(): Promise<readonly string[]> {
  try {
    if (process.platform === 'darwin') {
      const text = await outputOf('system_profiler', ['SPDisplaysDataType']);
      return [...text.matchAll(/Chipset Model: (.+)/g)].map(([, name]) => name!);
    }
    const text = await outputOf('nvidia-smi', ['--query-gpu=name', '--format=csv,noheader']);
    return text.split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

async function outputOf(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { timeout: 10_000 });
  return stdout;
}
