import type { Device } from '../../core/device.ts';
import { messageOf } from '../../errors.ts';
import { usePlugins } from '../../runtime/choose-runtime.ts';
import { loadApi } from '../../runtime/native/load-api.ts';
import { listDevices } from '../../runtime/native/plugins.ts';
import { createOnnxSession } from '../../runtime/onnx.ts';
import { doublingModel } from '../../runtime/trial-run.ts';

// A separate process, since a driver or a plugin may crash it. It prints a line per device of a plugin.
const [name = '', library] = process.argv.slice(2);
try {
  for (const { device, line } of library === undefined
    ? [{ device: name, line: '' }]
    : await register(library)) {
    const session = await createOnnxSession(doublingModel, { device: device as Device, threads: 1 });
    await session.run({ x: { type: 'float32', dims: [2], data: Float32Array.of(1, 2) } });
    await session.release();
    process.stdout.write(line);
  }
} catch (error) {
  process.stderr.write(messageOf(error));
  process.exitCode = 1;
}

async function register(plugin: string) {
  await usePlugins([{ provider: name, library: plugin }], '--plugin');
  const devices = listDevices(await loadApi()).filter(({ provider }) => provider === name);
  return devices.map(({ hardware, vendor }, number) => ({
    device: `${name}:${number}`,
    line: `${name}:${number}: ${hardware} by ${vendor || 'an unnamed maker'}\n`,
  }));
}
