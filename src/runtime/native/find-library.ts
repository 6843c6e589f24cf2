import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const fileNames: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'libonnxruntime.1.dylib',
  linux: 'libonnxruntime.so.1',
  win32: 'onnxruntime.dll',
};

/**
 * Path of the runtime's library: the one that `onnxruntime-node` ships, or the one that the environment variable
 * `SLASHV1_ONNXRUNTIME_LIBRARY` names, a build for CUDA for instance.
 *
 * @throws Error for platforms without one
 */
export function findLibrary(): string {
  const given = process.env['SLASHV1_ONNXRUNTIME_LIBRARY'];
  if (given) return given;
  const { platform, arch } = process;
  const fileName = fileNames[platform];
  if (!fileName) throw new Error(`onnxruntime-node has no library for ${platform}`);
  const manifest = createRequire(import.meta.url).resolve('onnxruntime-node/package.json');
  return join(dirname(manifest), 'bin', 'napi-v6', platform, arch, fileName);
}
