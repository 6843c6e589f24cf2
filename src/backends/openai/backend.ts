import { assertAddresses } from '../access.ts';
import type { BackendDefinition } from '../../contracts/backend.ts';
import type { BackendDescriptor } from '../../contracts/model.ts';
import type { ApiServer } from './server.ts';

const categories: ReadonlySet<string> = new Set(['chat', 'embedding', 'image', 'speech', 'transcription']);

/** Runs whole models on OpenAI-compatible servers. */
export const openaiDefinition: BackendDefinition = {
  kind: 'openai',
  spelling: 'remote.openai({…})',
  // It computes no tensors, so it needs no separate process.
  place: 'host',
  foreignSettings: [
    'dtype',
    'device',
    'threads',
    'cancelGraceMs',
    'warmUp',
    'hub',
    'verify',
    'maxBatchSize',
    'optimize',
    'int8Activations',
    'speculation',
    'prefill',
    'sharedSystemPrompts',
    'chatTemplate',
    'toolCallFormat',
    'toolPrompt',
    'tools',
    'openSchemas',
    'reasoningFormat',
    'imageFetch',
    'maxPixels',
    'maxSide',
    'maxImages',
    'pooling',
    'normalize',
    'matryoshkaDimensions',
    'maxBatchTokens',
    'maxAudioSeconds',
    'voiceActivity',
    'diarization',
    'conditionOnPrevious',
    'ffmpegPath',
    'phonemizer',
    'voiceAliases',
    'isDistilled',
  ],
  runs: ({ name }) => categories.has(name),
  assert: assertApiServer,
  async open({ backend }) {
    assertApiServer(backend!);
    return { loadPipeline: (await import('./load-remote.ts')).loadRemotePipeline };
  },
};

function assertApiServer(descriptor: BackendDescriptor, path = 'backend'): void {
  assertAddresses(`${path}.`, 'baseURL', descriptor as ApiServer);
}
