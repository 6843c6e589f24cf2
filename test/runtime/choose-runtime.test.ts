import { describe, expect, it } from 'vitest';
import { InferenceError } from '../../src/errors.ts';
import { choose, chooseRuntime } from '../../src/runtime/choose-runtime.ts';
import { createOnnxSession, type RuntimeName } from '../../src/runtime/onnx.ts';
import { doublingModel as trialModel } from '../../src/runtime/trial-run.ts';
import { doublingModel } from './doubling-model.ts';

describe('chooseRuntime', () => {
  it('takes the native runtime where a trial run works, and the other where it does not', async () => {
    expect(await choose(undefined)).toMatchObject({
      name: 'native',
      reason: 'a trial run gave the right results',
    });
    const fails = () => Promise.reject(new Error('no build for this platform'));
    expect(await choose('', fails)).toEqual({
      name: 'onnxruntime-node',
      version: expect.stringMatching(/^1\.\d+\.\d+$/) as string,
      reason: "the native runtime doesn't work here: no build for this platform",
    });
  });

  it('does what SLASHV1_RUNTIME says, or fails', async () => {
    const fails = () => Promise.reject(new Error('no build for this platform'));
    expect(await choose('native')).toMatchObject({ name: 'native' });
    expect(await choose('onnxruntime-node')).toMatchObject({
      name: 'onnxruntime-node',
      reason: 'SLASHV1_RUNTIME asks for it',
    });
    await expect(choose('native', fails)).rejects.toThrow(
      "SLASHV1_RUNTIME: the native runtime doesn't work here: no build",
    );
    await expect(choose('Native')).rejects.toThrow(
      'SLASHV1_RUNTIME: expected native or onnxruntime-node, got "Native"',
    );
  });

  it('chooses once', () => {
    expect(chooseRuntime()).toBe(chooseRuntime());
  });

  it('tries the model that it says it tries', () => {
    expect([...trialModel]).toEqual([...doublingModel()]);
  });
});

describe.each<RuntimeName>(['native', 'onnxruntime-node'])('createOnnxSession on %s', (runtime) => {
  it.each(['cuda', 'coreml', 'dml'] as const)(
    'says that %s does not work here, as a fault of the settings',
    async (device) => {
      const error: unknown = await createOnnxSession(doublingModel(), { device, runtime }).catch(
        (thrown: unknown) => thrown,
      );
      if (!(error instanceof InferenceError)) throw new Error(`expected ${device} to be missing here`);
      expect(error).toMatchObject({ code: 'invalid_request', param: 'device' });
      expect(error.message).toMatch(new RegExp(`^device: "${device}" doesn't work here: .{10}`));
    },
  );

  it('tells a fault of the model from one of the device', async () => {
    const error: unknown = await createOnnxSession(Uint8Array.of(1, 2, 3), { runtime }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(InferenceError);
  });

  it('refuses a run whose signal has fired', async () => {
    const session = await createOnnxSession(doublingModel(), { runtime });
    const feeds = { x: { type: 'float32', dims: [1], data: Float32Array.of(1) } } as const;
    await expect(session.run(feeds, undefined, { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
    await session.release();
  });
});
