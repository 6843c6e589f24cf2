import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { findVoiceActivity } from '../../../core/audio/voice-activity.ts';
import { fieldError } from '../../../errors.ts';
import type { SessionBackend } from '../../../contracts/sessions.ts';
import type { Session } from '../../../contracts/graph.ts';
import { sampleRateHz } from '../recognizer.ts';
import { createSileroGate } from './silero-gate.ts';
import { regionShape, type VoiceGate } from './voice-gate.ts';

/** Opens the detector of stretches without speech. */
export async function openVoiceGate(
  kind: string,
  { openSession }: Pick<SessionBackend, 'openSession'>,
): Promise<VoiceGate> {
  if (kind === 'none') return openGate;
  if (kind === 'energy') return energyGate;
  const path = resolve(kind);
  if (!existsSync(path))
    throw fieldError(
      'voiceActivity',
      `expected energy, none or the path of a Silero VAD graph, found no ${path}`,
    );
  let session: Session | undefined;
  try {
    session = await openSession({ graph: path }, { threads: 1 });
    return createSileroGate(session);
  } catch (error) {
    await session?.release();
    throw fieldError('voiceActivity', `${path} is not a Silero VAD graph: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

const openGate: VoiceGate = {
  find: async (samples) => [{ startSeconds: 0, endSeconds: samples.length / sampleRateHz }],
  release: async () => {},
};

const energyGate: VoiceGate = {
  find: async (samples) => findVoiceActivity(samples, { sampleRateHz, ...regionShape }),
  release: async () => {},
};
