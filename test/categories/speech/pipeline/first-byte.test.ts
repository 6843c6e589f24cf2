import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { toNodeListener } from '../../../../adapters/node.ts';
import { loadSpeechPipeline } from '../../../../src/categories/speech/pipeline/speech-pipeline.ts';
import { completeSpeechRequest } from '../../../../src/categories/speech/request.ts';
import type { Synthesizer } from '../../../../src/categories/speech/synthesizer.ts';
import type { Architecture } from '../../../../src/contracts/architecture.ts';
import type { SessionBackend } from '../../../../src/contracts/sessions.ts';
import { createHandler } from '../../../../src/create-handler.ts';
import { loadWebCodecsEncoder } from '../../../../src/runtime/audio-encode/web-codecs.ts';
import { createFakeInference } from '../../../../src/testing/fake-inference.ts';

const sampleRateHz = 24_000;
const voices = [{ id: 'af_heart', name: 'Heart', language: 'en-US' }];
const hasWebCodecs = (await loadWebCodecsEncoder('mp3')) !== undefined;

/** A voice whose second piece isn't made before `mayGoOn`; it counts the pieces that are begun and made. */
function scriptedVoice(mayGoOn: Promise<void>) {
  const pieces = { begun: 0, made: 0 };
  const synthesizer: Synthesizer = {
    sampleRateHz,
    voices,
    hasSpeed: false,
    mixesVoices: false,
    findSpeaker: async () => ({
      async speak() {
        if (++pieces.begun === 2) await mayGoOn;
        pieces.made++;
        return { samples: Float32Array.from({ length: sampleRateHz }, (_, at) => Math.sin(at / 8) / 2) };
      },
    }),
    release: async () => {},
  };
  const open = async (): Promise<Synthesizer> => synthesizer;
  const architecture: Architecture<Synthesizer> = {
    name: 'scripted',
    modelTypes: [],
    files: {} as never,
    open,
  };
  return { pieces, architecture };
}

it.each(['pcm', 'wav', 'mp3', 'aac', 'flac'] as const)(
  'the first bytes of %s leave before the second piece of speech is made',
  async (response_format) => {
    const isOptional = response_format !== 'pcm' && response_format !== 'wav';
    let goOn = (): void => {};
    const { pieces, architecture } = scriptedVoice(new Promise((resolve) => (goOn = resolve)));
    const spec = {
      id: 'mouth',
      category: 'speech',
      source: 'tiny-speech',
      ffmpegPath: '/nonexistent',
    } as const;
    const pipeline = await loadSpeechPipeline(spec, {} as SessionBackend, architecture);
    const inference = createFakeInference({ models: [{ id: 'mouth', category: 'speech', voices }] });
    const speaking = {
      ...inference,
      run: ((_category: never, request: never, options: never) =>
        pipeline.run(completeSpeechRequest(request), options)) as typeof inference.run,
    };
    const server = createServer(toNodeListener(createHandler(speaking, { auth: 'none' })));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      goOn();
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/v1/audio/speech`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'mouth', input: 'One here. Two here. Three here.', response_format }),
    });
    if (isOptional && !hasWebCodecs) {
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain('needs the package node-webcodecs');
      return;
    }
    expect(answer.status, answer.ok ? '' : await answer.text()).toBe(200);
    const reader = answer.body!.getReader();
    expect((await reader.read()).value!.length).toBeGreaterThan(0);
    expect(pieces.made).toBe(1);
    goOn();
    while (!(await reader.read()).done);
    expect(pieces).toEqual({ begun: 3, made: 3 });
  },
  30_000,
);
