import { existsSync, readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { devices as knownDevices } from '../../core/device.ts';
import { defineCommand, exitCode } from '../command.ts';
import { formatBytes, renderTable } from '../format.ts';
import { diskUse } from '../models/cached-models.ts';
import { UsageError } from '../options.ts';

interface Needs {
  /** `linux-x64` */
  readonly platforms: readonly string[];
  /** Devices whose libraries are kept; default all. */
  readonly devices?: readonly string[] | undefined;
}

/** Packages with binaries for all platforms, and their folders per platform. */
const packages = [
  { name: 'onnxruntime-node', folder: 'bin/napi-v6', nested: true },
  { name: 'node-webcodecs', folder: 'prebuilds', nested: false },
];

/** Runtime libraries that only one device loads; on Windows they are linked with the rest. */
const ofDevice: Readonly<Record<string, RegExp>> = {
  cuda: /^libonnxruntime_providers_(?:cuda|tensorrt|shared)\.so$/,
};

/** Finds binaries in `node_modules` for foreign platforms, such as `darwin-arm64`, and for unused devices. */
export function findNeedless({ platforms, devices }: Needs, from: string) {
  const found: { readonly path: string; readonly for: string }[] = [];
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

export const command = defineCommand({
  name: 'trim',
  summary: 'Removes the binaries of other platforms and devices from node_modules.',
  description: [
    'The packages of the runtime carry the binaries of all platforms. `npm ci` brings them back. A second run removes nothing.',
  ],
  options: {
    platform: ['<list>', 'Platforms to keep, such as linux-x64,linux-arm64; default: this one.'],
    device: ['<list>', 'Devices to keep, such as cpu,cuda; default: all.'],
    'dry-run': ['', 'Remove nothing, show it.'],
  },
  examples: {
    'slashv1 trim': 'keeps what this machine needs',
    'slashv1 trim --platform linux-x64 --device cpu --dry-run': "shows what an image doesn't need",
  },
  async run({ platform, device, 'dry-run': isDry }, operands, { output }) {
    if (operands.length > 0) throw new UsageError(`Expected no operand, got ${operands.length}.`);
    const platforms = platform === undefined ? [`${process.platform}-${process.arch}`] : platform.split(',');
    for (const one of platforms) assertPlatform(one);
    const devices = device?.split(',');
    for (const one of devices ?? []) assertDevice(one);
    const found = findNeedless({ platforms, devices }, import.meta.url).map(({ path, for: what }) => ({
      path,
      what,
      bytes: statSync(path).isFile() ? statSync(path).size : diskUse(path),
    }));
    for (const { path } of isDry ? [] : found) await rm(path, { recursive: true });
    if (found.length > 0) {
      const rows = found.map(({ path, what, bytes }) => [what, formatBytes(bytes), path]);
      output.write(`${renderTable(columns, rows, output.style.bold)}\n`);
    }
    const total = formatBytes(found.reduce((sum, { bytes }) => sum + bytes, 0));
    const verb = isDry ? 'Would remove' : 'Removed';
    output.write(found.length === 0 ? 'Nothing to remove.\n' : `${verb} ${total}.\n`);
    return exitCode.success;
  },
});

const columns = ['for', { right: 'size' }, 'path'];

function assertPlatform(platform: string): void {
  if (/^(?:linux|darwin|win32)-(?:x64|arm64)$/.test(platform)) return;
  throw new UsageError(
    `--platform: expected linux, darwin or win32 with -x64 or -arm64, got ${JSON.stringify(platform)}`,
  );
}

function assertDevice(device: string): void {
  if ((knownDevices as readonly string[]).includes(device)) return;
  throw new UsageError(`--device: expected ${knownDevices.join(', ')}, got ${JSON.stringify(device)}`);
}
