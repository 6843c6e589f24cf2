import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** A file or folder that a machine doesn't need. */
export interface Binary {
  readonly path: string;
  /** `darwin-arm64`, or the device of a provider's library. */
  readonly for: string;
}

export interface Needs {
  /** `linux-x64` */
  readonly platforms: readonly string[];
  /** Devices to keep the libraries of; all if left out. */
  readonly devices?: readonly string[] | undefined;
}

/** Packages with the binaries of all platforms, and the place of those of one. */
const packages = [
  { name: 'onnxruntime-node', folder: 'bin/napi-v6', nested: true },
  { name: 'node-webcodecs', folder: 'prebuilds', nested: false },
];

/** Libraries of the runtime that one device alone loads; those of Windows are linked with the rest. */
const ofDevice: Readonly<Record<string, RegExp>> = {
  cuda: /^libonnxruntime_providers_(?:cuda|tensorrt|shared)\.so$/,
};

/** Finds the binaries in `node_modules` that are for other platforms and devices. */
export function findNeedless({ platforms, devices }: Needs, from: string): Binary[] {
  const found: Binary[] = [];
  for (const { name, folder, nested } of packages) {
    const root = packageFolder(name, from);
    if (root === undefined) continue;
    for (const { platform, path } of listPlatforms(join(root, folder), nested)) {
      if (!platforms.includes(platform)) {
        found.push({ path, for: platform });
        continue;
      }
      for (const [device, pattern] of Object.entries(ofDevice)) {
        if (!devices || devices.includes(device)) continue;
        const files = readdirSync(path).filter((file) => pattern.test(file));
        found.push(...files.map((file) => ({ path: join(path, file), for: device })));
      }
    }
  }
  return found;
}

function listPlatforms(folder: string, nested: boolean): { platform: string; path: string }[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  if (!nested) return names.map((platform) => ({ platform, path: join(folder, platform) }));
  return names.flatMap((system) =>
    readdirSync(join(folder, system)).map((processor) => ({
      platform: `${system}-${processor}`,
      path: join(folder, system, processor),
    })),
  );
}

function packageFolder(name: string, from: string): string | undefined {
  const folders = createRequire(from).resolve.paths(name) ?? [];
  return folders
    .map((folder) => join(folder, name))
    .find((folder) => existsSync(join(folder, 'package.json')));
}
