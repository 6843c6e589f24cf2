import type { SessionBackend } from '../../../../contracts/sessions.ts';
import { listLanguages } from '../../../../core/text/spoken-language.ts';
import { fieldError } from '../../../../errors.ts';
import type { ModelSpec } from '../../../../contracts/model.ts';
import { quote } from '../../../../core/text/quote.ts';
import { bindGraph } from '../../../../runtime/bound-graph.ts';
import { toFloat32 } from '../../../../runtime/encoder/token-inputs.ts';
import { decodeGreedily } from '../../../../runtime/decode-greedily.ts';
import type { RecognitionOptions, RecognizerAbility, StretchRecognizer } from '../../recognizer.ts';
import { encoderDecoderFiles as files } from './files.ts';
import { emptyStates, maxSeconds, openNemoModel } from './nemo-folder.ts';
import { toText } from './to-stretch.ts';

const encoded = ['encoder_embeddings', 'encoder_mask'];
const memories = 'decoder_mems';
const remembered = 'decoder_hidden_states';
const decoded = ['logits', remembered];
const graphs = [
  ['audio_signal', 'length', ...encoded],
  ['input_ids', ...encoded, memories, ...decoded],
];

const endToken = '<|endoftext|>';
/** Prompt tokens before source and target language. */
const beforeLanguages = [' ', '<|startofcontext|>', '<|startoftranscript|>', '<|emo:undefined|>'];
/** With punctuation and capitals, numbers as words, no timestamps, no speakers. */
const afterLanguages = ['<|pnc|>', '<|noitn|>', '<|notimestamp|>', '<|nodiarize|>'];
const tokens = [endToken, ...beforeLanguages, ...afterLanguages];
/** The limit of prompt and answer together. */
const limitedBy = ['max_sequence_length', 1024] as const;

const english = 'en';
const languageToken = /^<\|([a-z]{2})\|>$/;

export async function openEncoderDecoder(
  spec: ModelSpec,
  sessions: SessionBackend,
): Promise<StretchRecognizer> {
  const model = await openNemoModel(spec, sessions, { files, graphs, tokens, limitedBy });
  const { needed, pieces, limit } = model;
  const [end, ...prompt] = needed as [number, ...number[]];
  const before = prompt.slice(0, beforeLanguages.length);
  const after = prompt.slice(beforeLanguages.length);
  const languages = new Map(pieces.flatMap((piece, id) => toLanguage(piece).map((code) => [code, id])));
  const decoder = model.sessions[1]!;
  const nothing = emptyStates(decoder, memories);

  const idOf = (language: string): number => {
    const id = languages.get(language);
    if (id !== undefined) return id;
    const known = [...languages.keys()].sort();
    throw fieldError('language', `expected ${listLanguages(known)}, got ${quote(language)}`);
  };
  const promptOf = ({ language, task }: Pick<RecognitionOptions, 'language' | 'task'>): number[] => {
    if (task === 'translate' && language === undefined) {
      throw fieldError('language', "expected the spoken language: this model can't detect it");
    }
    const spoken = idOf(language ?? english);
    return [...before, spoken, task === 'translate' ? idOf(english) : spoken, ...after];
  };

  return {
    maxSeconds,
    contextLength: limit,
    languages: [...languages.keys()].sort(),
    abilities: new Set<RecognizerAbility>(languages.has(english) ? ['translation'] : []),
    async recognize(samples, { language, task, signal }) {
      const start = promptOf({ language, task });
      const { outputs: audio } = await model.encode(samples, encoded, { signal });
      const text = bindGraph(decoder);
      try {
        text.feedAll({ ...audio, ...nothing });
        text.keep([remembered]);
        let ids = new BigInt64Array(0);
        const next = async (token: number | undefined): Promise<Float32Array> => {
          const given = token === undefined ? start : [token];
          if (given.length !== ids.length) {
            ids = new BigInt64Array(given.length);
            text.feed('input_ids', { type: 'int64', dims: [1, ids.length], data: ids });
            // Some graphs score only the last prompt token.
            text.fetch('logits', token === undefined ? undefined : [1, 1]);
          }
          for (const [index, id] of given.entries()) ids[index] = BigInt(id);
          await text.run({ signal, isShort: token !== undefined });
          text.carry([[memories, remembered]]);
          const logits = text.read('logits');
          const vocabularySize = logits.dims.at(-1)!;
          if (vocabularySize > pieces.length) throw model.mismatch(vocabularySize);
          return toFloat32(logits).subarray(-vocabularySize);
        };
        const ends = new Set([end]);
        const written = await decodeGreedily(next, { ends, maxTokens: limit - start.length, signal });
        const spoken = written.tokens.filter((id) => !pieces[id]!.startsWith('<|'));
        return { ...written, tokens: spoken, text: toText(spoken, pieces) };
      } finally {
        text.release();
      }
    },
    release: () => model.release(),
  };
}

/** The ISO 639-1 code of a language token; empty for different tokens. */
function toLanguage(piece: string): string[] {
  const [, code] = languageToken.exec(piece) ?? [];
  return code === undefined ? [] : [code];
}
