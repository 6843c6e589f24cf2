import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Reason why CUDA's provider can't be loaded, and the cure. */
interface CudaFault {
  readonly reason: string;
  readonly advice: string;
}

/**
 * Finds out which library CUDA's provider lacks: the runtime says only that the provider can't be loaded.
 *
 * @param folder of the runtime's library
 * @param version of the runtime
 * @param loadError tries to load a library, and returns the system's message
 * @returns `undefined` where the provider's libraries are all there
 */
export function explainCuda(
  { folder, version }: { readonly folder: string; readonly version: string },
  loadError: (path: string) => string | undefined,
): CudaFault | undefined {
  const absent = fileNames.find((name) => !existsSync(join(folder, name)));
  if (absent !== undefined) {
    const advice = `${install(version)} and set library to its folder onnxruntime`;
    return { reason: `Failed to load shared library ${absent}`, advice };
  }
  const message = fileNames.map((name) => loadError(join(folder, name))).find((error) => error !== undefined);
  if (message === undefined) return undefined;
  const [, missing] = /(\S+): cannot open shared object file/.exec(message) ?? [];
  if (missing === undefined) return { reason: message, advice: install(version) };
  const reason = `Failed to load shared library ${missing}, which CUDA's provider needs`;
  const advice = missing.startsWith('libcuda.')
    ? "install NVIDIA's driver; a container gets it by docker run --gpus all"
    : `${install(version)} and list its folders nvidia/*/lib in LD_LIBRARY_PATH`;
  return { reason, advice };
}

const fileNames =
  process.platform === 'win32'
    ? ['onnxruntime_providers_shared.dll', 'onnxruntime_providers_cuda.dll']
    : ['libonnxruntime_providers_shared.so', 'libonnxruntime_providers_cuda.so'];

/** The extras are the versions of CUDA and cuDNN that this version of the runtime was built with. */
function install(version: string): string {
  return `pip install "onnxruntime-gpu[cuda,cudnn]==${version}"`;
}
