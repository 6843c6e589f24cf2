import type { Device } from '../../core/device.ts';
import { createOnnxSession } from '../../runtime/onnx.ts';
import { doublingModel } from '../../runtime/trial-run.ts';

// A process of its own, since a driver may end the one that tries it.
try {
  const session = await createOnnxSession(doublingModel, { device: process.argv[2] as Device, threads: 1 });
  await session.run({ x: { type: 'float32', dims: [2], data: Float32Array.of(1, 2) } });
  await session.release();
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
