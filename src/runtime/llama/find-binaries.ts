import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { unpackedPath } from '../unpacked-path.ts';
import { orElse } from '../../errors.ts';

export const llamaGpus = ['auto', 'cuda', 'vulkan', 'metal', 'none'] as const;
export type LlamaGpu = (typeof llamaGpus)[number];

/** Supported versions of node-llama-cpp, as in the package's peer dependencies. */
export const llamaRange = '~3.21.1 || ~3.22.0';
/** The package to install for these binaries. */
export const llamaPackage = 'node-llama-cpp@3.22';

/** Graphics driver libraries, without which a GPU build can't compute. */
const drivers: Readonly<Record<string, Partial<Record<NodeJS.Platform, string>>>> = {
  cuda: { linux: 'libcuda.so.1', win32: 'nvcuda.dll' },
  vulkan: { linux: 'libvulkan.so.1', win32: 'vulkan-1.dll' },
};

/** Finds the llama.cpp libraries that node-llama-cpp ships for this machine, in load order. */
export function findLlamaBinaries(gpu: LlamaGpu, hasLibrary: (name: string) => boolean) {
  for (const build of buildsFor(gpu)) {
    const driver = drivers[build.gpu]?.[process.platform];
    if (gpu === 'auto' && driver !== undefined && !hasLibrary(driver)) continue;
    const folder = findPackage(`@node-llama-cpp/${build.name}`);
    if (folder === undefined) continue;
    return { ...librariesIn(unpackedPath(join(folder, 'bins', build.name))), gpu: build.gpu };
  }
  return undefined;
}

/** Whether node-llama-cpp has installed binaries for this machine. */
export function hasLlamaBinaries(): boolean {
  return buildsFor('auto').some(({ name }) => findPackage(`@node-llama-cpp/${name}`) !== undefined);
}

/** The matching builds, fastest first. */
function buildsFor(gpu: LlamaGpu) {
  const { platform, arch } = process;
  const system = { linux: 'linux', win32: 'win', darwin: 'mac' }[platform as string];
  if (system === undefined) return [];
  const name = `${system}-${arch === 'arm' ? 'armv7l' : arch}`;
  const builds = [
    { name: `${name}-metal`, gpu: 'metal' },
    { name: `${name}-cuda`, gpu: 'cuda' },
    { name: `${name}-vulkan`, gpu: 'vulkan' },
    { name, gpu: 'none' },
  ] as const;
  return builds.filter((build) => gpu === 'auto' || build.gpu === gpu);
}

/** Binary packages are dependencies of node-llama-cpp; with some package managers only it can resolve them. */
function findPackage(name: string): string | undefined {
  const own = createRequire(import.meta.url);
  const findFrom = (require: () => NodeJS.Require): string | undefined =>
    orElse(() => dirname(dirname(require().resolve(name))), undefined);
  return findFrom(() => own) ?? findFrom(() => createRequire(own.resolve('node-llama-cpp')));
}

function librariesIn(folder: string) {
  const names = readdirSync(folder);
  const find = (stem: string): string => {
    const pattern = new RegExp(`^(?:lib)?${stem}\\..*(?:so|dylib|dll)$`);
    const name = names.find((candidate) => pattern.test(candidate));
    if (name === undefined) throw new Error(`${folder} has no library ${stem}`);
    return join(folder, name);
  };
  return { folder, base: find('ggml-base'), ggml: find('ggml'), llama: find('llama') };
}
