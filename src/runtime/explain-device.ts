import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Api } from './native/load-api.ts';
import { fieldError, messageOf, type InferenceError } from '../errors.ts';
import { abbreviate } from '../core/text/quote.ts';
import { pathsIn } from './native/runtime-library.ts';

/** The parts of runtime and machine that explain why a device doesn't work. */
export interface DeviceContext {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `undefined` with `onnxruntime-node`'s binding. */
  readonly runtime?: Pick<Api, 'path' | 'version' | 'loadError'> | undefined;
}

export interface DeviceFault {
  readonly reason: string;
  readonly advice?: string | undefined;
}

/** @returns a detailed fault, or `undefined` for a different kind of fault */
type Explain = (reason: string, context: DeviceContext) => DeviceFault | undefined;

const driver = "install NVIDIA's driver; a container gets it by docker run --gpus all";

/** What devices and plugins need; the first row that explains a reason wins. */
const explanations: Readonly<Record<string, readonly Explain[]>> = {
  webgpu: [
    advise(/not supported in this build|has no webgpu/, 'leave library out: onnxruntime-node has WebGPU'),
    advise(/adapter/, 'update the graphics driver: it needs Direct3D 12', 'win32'),
    advise(/adapter/, 'choose cpu: Metal offers no graphics processor here', 'darwin'),
    explainVulkan,
  ],
  cuda: [
    advise(/./, 'choose coreml, webgpu or cpu: CUDA has no build for macOS', 'darwin'),
    explainCudaLibraries,
    explainCardNumber,
    advise(/no CUDA-capable device|CUDA failure 100\b/, driver),
    advise(
      /driver version is insufficient|CUDA failure 35\b/,
      "update NVIDIA's driver: nvidia-smi prints the newest CUDA that it runs",
    ),
    advise(/no kernel image|CUDA failure 209\b/, 'choose webgpu: the card is older than this build of CUDA'),
  ],
  dml: [
    advise(/./, 'choose webgpu or cpu: DirectML is a part of Windows', 'linux', 'darwin'),
    advise(/has no dml/, 'leave library out: onnxruntime-node has DirectML'),
  ],
  coreml: [advise(/./, 'choose webgpu or cpu: Core ML is a part of macOS', 'linux', 'win32')],
  openvino: [advise(/with a device/, "OpenVINO finds only Intel's processors and cards")],
  plugin: [
    explainPluginLibraries,
    explainOtherLibrary,
    advise(
      /\bversion\b/,
      'take a version of the plugin for this runtime, or by library a runtime for this plugin',
    ),
  ],
};

/** Finds out what a device lacks, and how to get it. */
export function explainDevice(device: string, reason: string, context: DeviceContext): DeviceFault {
  for (const explain of explanations[device] ?? []) {
    const fault = explain(reason, context);
    if (fault) return fault;
  }
  return { reason };
}

function advise(pattern: RegExp, advice: string, ...platforms: readonly NodeJS.Platform[]): Explain {
  return (reason, { platform }) =>
    pattern.test(reason) && (platforms.length === 0 || platforms.includes(platform))
      ? { reason, advice }
      : undefined;
}

function explainVulkan(reason: string, { platform, environment, runtime }: DeviceContext) {
  if (platform !== 'linux' || !/adapter/.test(reason)) return undefined;
  const message = runtime?.loadError('libvulkan.so.1');
  if (message !== undefined) {
    return {
      reason: `Failed to load libvulkan.so.1, the loader of Vulkan's drivers: ${message}`,
      advice: 'apt-get install libvulkan1, on Fedora dnf install vulkan-loader',
    };
  }
  const variable = ['VK_DRIVER_FILES', 'VK_ICD_FILENAMES'].find((name) => environment[name]);
  const drivers = variable ? environment[variable]!.split(':').filter(existsSync) : listVulkanDrivers();
  if (drivers.length === 0) {
    const install =
      "install the card's driver: NVIDIA's, or apt-get install mesa-vulkan-drivers; a container gets it by docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all, or --device /dev/dri";
    return { reason, advice: variable ? `${variable} names no file: unset it` : install };
  }
  const advice =
    'no driver of Vulkan finds a card: let this user open /dev/dri (group render); without a card take Mesa 23 or later';
  return { reason, advice };
}

function listVulkanDrivers(): string[] {
  return ['/usr/share/vulkan/icd.d', '/etc/vulkan/icd.d', '/usr/local/share/vulkan/icd.d'].flatMap(pathsIn);
}

function explainCudaLibraries(_reason: string, { platform, environment, runtime }: DeviceContext) {
  if (!runtime) return undefined;
  const { path, version, loadError } = runtime;
  const folder = dirname(path);
  // The extras are the versions of CUDA and cuDNN with which this runtime version was built.
  const install = `pip install "onnxruntime-gpu[cuda,cudnn]==${version}"`;
  const names =
    platform === 'win32'
      ? ['onnxruntime_providers_shared.dll', 'onnxruntime_providers_cuda.dll']
      : ['libonnxruntime_providers_shared.so', 'libonnxruntime_providers_cuda.so'];
  const absent = names.find((name) => !existsSync(join(folder, name)));
  if (absent !== undefined) {
    const advice = `${install} and set library to its folder onnxruntime`;
    return { reason: `Failed to load shared library ${absent}`, advice };
  }
  const message = names.map((name) => loadError(join(folder, name))).find((error) => error !== undefined);
  if (message === undefined) return undefined;
  const missing = missingLibrary(message);
  if (missing === undefined) return { reason: message, advice: install };
  const lack = `Failed to load shared library ${missing}, which CUDA's provider needs`;
  if (missing.startsWith('libcuda.')) return { reason: lack, advice: driver };
  const found = findLibraries(missing, folder, environment);
  const exact = found.find((each) => each.endsWith(`/${missing}`));
  if (exact !== undefined) {
    const folders = [...new Set([dirname(exact), ...siblings(dirname(exact))])].join(':');
    return { reason: lack, advice: `export LD_LIBRARY_PATH=${folders}` };
  }
  const others = found.length === 0 ? '' : `; found ${found.slice(0, 2).join(' and ')}`;
  const advice = `${install} and list its folders nvidia/*/lib in LD_LIBRARY_PATH`;
  return { reason: `${lack}${others}`, advice };
}

function explainPluginLibraries(message: string): DeviceFault | undefined {
  const missing = missingLibrary(message);
  if (missing === undefined) return undefined;
  const reason = `Failed to load shared library ${missing}, which the plugin needs`;
  return { reason, advice: 'install it, and list its folder in LD_LIBRARY_PATH' };
}

function explainOtherLibrary(message: string): DeviceFault | undefined {
  if (!/CreateEpFactories|ELF|too short|position-independent/.test(message)) return undefined;
  const reason = `expected a plugin of ONNX Runtime for ${process.platform} ${process.arch}, got another file (${message.replace(/^.* with error: /s, '')})`;
  return { reason, advice: 'take a library such as libonnxruntime_providers_openvino_plugin.so' };
}

function missingLibrary(message: string): string | undefined {
  return /(\S+): cannot open shared object file/.exec(message)?.[1];
}

/** A numbered card is the only one visible to its process, see `placeOnDevice`. */
function explainCardNumber(reason: string, { environment }: DeviceContext): DeviceFault | undefined {
  const visible = environment['CUDA_VISIBLE_DEVICES'];
  if (visible === undefined || !/no CUDA-capable device|CUDA failure 100\b/.test(reason)) return undefined;
  const advice = `choose a number that nvidia-smi -L prints: CUDA_VISIBLE_DEVICES is ${JSON.stringify(visible)}`;
  return { reason, advice };
}

/** Files of a library in any version, in the folders of CUDA's installers and of Python packages. */
function findLibraries(name: string, runtimeFolder: string, environment: DeviceContext['environment']) {
  const stem = `${name.split('.so', 1)[0]!}.so`;
  const packages = join(runtimeFolder, '../../nvidia');
  const toolkits = pathsIn('/usr/local').filter((path) => /\/cuda[^/]*$/.test(path));
  const folders = [
    ...(environment['LD_LIBRARY_PATH'] ?? '').split(':').filter(Boolean),
    ...pathsIn(packages).map((path) => join(path, 'lib')),
    ...toolkits.flatMap((path) => [join(path, 'lib64'), join(path, 'lib')]),
    '/usr/lib/x86_64-linux-gnu',
    '/usr/lib/aarch64-linux-gnu',
    '/usr/lib64',
  ];
  // `libcublas.so` is a link for compilers; programs load the numbered files.
  return [...new Set(folders.flatMap(pathsIn).filter((path) => path.includes(`/${stem}.`)))];
}

/** The folders of the remaining packages next to `nvidia/cublas/lib`. */
function siblings(folder: string): string[] {
  const [, packages] = /^(.*\/nvidia)\/[^/]+\/lib$/.exec(folder) ?? [];
  return packages === undefined
    ? []
    : pathsIn(packages)
        .map((path) => join(path, 'lib'))
        .filter(existsSync);
}

/** The error for a configured device that doesn't work here: what it lacks, and how to get it. */
export function deviceFault(
  device: string,
  cause: unknown,
  runtime?: DeviceContext['runtime'],
): InferenceError {
  // The runtime's message starts with its source file and a condition.
  const reason = messageOf(cause).replace(/^.* was false\. /s, '');
  return fieldError('device', `"${device}" doesn't work here: ${withAdvice(device, reason, runtime)}`, {
    cause,
  });
}

export function withAdvice(device: string, message: string, runtime?: DeviceContext['runtime']): string {
  const { platform, env: environment } = process;
  const said = message.trim().replace(/\.$/, '');
  const { reason, advice } = explainDevice(device, said, { platform, environment, runtime });
  const cure = advice === undefined ? '' : `; ${advice}`;
  return `${abbreviate(reason, 300)}${cure}`;
}
