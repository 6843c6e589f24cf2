import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { devices as knownDevices } from '../../core/device.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { formatBytes } from '../format.ts';
import { diskUse } from '../models/folder-use.ts';
import { renderTable } from '../table.ts';
import { UsageError } from '../usage-error.ts';
import { findNeedless } from './find-binaries.ts';

export const trimCommand = defineCommand({
  name: 'trim',
  summary: 'Removes the binaries of other platforms and devices from node_modules.',
  description: [
    'The packages of the runtime carry the binaries of all platforms. `npm ci` brings them back. A second run removes nothing.',
  ],
  options: {
    platform: {
      type: 'string',
      value: '<list>',
      description: 'Platforms to keep, such as linux-x64,linux-arm64; default: this one.',
    },
    device: {
      type: 'string',
      value: '<list>',
      description: 'Devices to keep, such as cpu,cuda; default: all.',
    },
    'dry-run': { type: 'boolean', description: 'Remove nothing, show it.' },
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

const columns = [{ title: 'for' }, { title: 'size', align: 'right' }, { title: 'path' }] as const;

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
