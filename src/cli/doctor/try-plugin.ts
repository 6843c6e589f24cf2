import { usePlugins } from '../../runtime/choose-runtime.ts';
import { loadApi } from '../../runtime/native/load-api.ts';
import { listDevices } from '../../runtime/native/plugins.ts';
import { createOnnxSession } from '../../runtime/onnx.ts';
import { doublingModel } from '../../runtime/trial-run.ts';

// A process of its own, since a plugin may end the one that loads it. It prints a line for each device of the plugin.
const [provider = '', library = ''] = process.argv.slice(2);
try {
  await usePlugins([{ provider, library }], '--plugin');
  const devices = listDevices(await loadApi()).filter((device) => device.provider === provider);
  for (const [number, { hardware, vendor }] of devices.entries()) {
    const session = await createOnnxSession(doublingModel, { device: `${provider}:${number}`, threads: 1 });
    await session.run({ x: { type: 'float32', dims: [2], data: Float32Array.of(1, 2) } });
    await session.release();
    process.stdout.write(`${provider}:${number}: ${hardware} by ${vendor || 'an unnamed maker'}\n`);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
