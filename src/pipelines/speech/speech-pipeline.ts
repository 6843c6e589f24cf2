import { InferenceError } from '../../errors.ts';
import type { ModelSpec, Pipeline } from '../contract.ts';

export async function loadSpeechPipeline(spec: ModelSpec<'speech'>): Promise<Pipeline<'speech'>> {
  throw new InferenceError('internal', `not built yet: ${spec.id}`);
}
