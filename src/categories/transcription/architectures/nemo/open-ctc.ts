import type { SessionBackend } from '../../../../contracts/sessions.ts';
import { decodeCtc } from '../../../../core/audio/ctc.ts';
import type { ModelSpec } from '../../../../contracts/model.ts';
import { toFloat32 } from '../../../../runtime/encoder/token-inputs.ts';
import type { StretchRecognizer } from '../../recognizer.ts';
import { ctcFiles as files } from './files.ts';
import { blankToken, maxSeconds, openNemoModel } from './nemo-folder.ts';
import { toStretch } from './to-stretch.ts';

export async function openCtc(spec: ModelSpec, sessions: SessionBackend): Promise<StretchRecognizer> {
  const graphs = [['audio_signal', 'length', 'logprobs']];
  const model = await openNemoModel(spec, sessions, { files, graphs, tokens: [blankToken] });
  const [blank] = model.needed as [number];
  return {
    maxSeconds,
    contextLength: 0,
    languages: [],
    leavesOutWords: true,
    abilities: new Set(['wordTimestamps']),
    async recognize(samples, { signal, kept }) {
      const { outputs, frames: heard } = await model.encode(samples, ['logprobs'], { signal });
      const scores = outputs['logprobs']!;
      const [, columns = 0, vocabularySize = 0] = scores.dims;
      if (vocabularySize > model.pieces.length || vocabularySize <= blank)
        throw model.mismatch(vocabularySize);
      // The last column is padding.
      const frames = Math.min(columns, Math.ceil(heard / model.subsampling));
      const logprobs = toFloat32(scores).subarray(0, frames * vocabularySize);
      const path = decodeCtc(logprobs, { frames, vocabularySize, blank });
      return { ...toStretch(path.tokens, model, kept), averageLogprob: path.averageLogprob };
    },
    release: () => model.release(),
  };
}
