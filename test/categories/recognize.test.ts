import { expect, it } from 'vitest';
import { recognizeFiles } from '../../src/loading/choice.ts';

it.each([
  [{ architectures: ['LlamaForCausalLM'], model_type: 'llama' }, [], 'chat'],
  [{ architectures: ['GPT2LMHeadModel'], model_type: 'gpt2' }, [], 'chat'],
  [{ architectures: ['Gemma3ForConditionalGeneration'], model_type: 'gemma3' }, [], 'chat'],
  [{ architectures: ['Qwen3ForCausalLM'], model_type: 'qwen3' }, ['modules.json'], 'embedding'],
  [{ architectures: ['BertModel'], model_type: 'bert' }, [], 'embedding'],
  [{ model_type: 'mpnet' }, ['1_Pooling/config.json'], 'embedding'],
  [{ ...classifier('BertForSequenceClassification', ['LABEL_0']), model_type: 'bert' }, [], 'rerank'],
  [classifier('XLMRobertaForSequenceClassification', ['LABEL_0', 'LABEL_1']), [], 'rerank'],
  [
    classifier('ModernBertForSequenceClassification', ['Not_Relevant', 'relevant']),
    ['modules.json'],
    'rerank',
  ],
  [{ architectures: ['DebertaV2ForSequenceClassification'], model_type: 'deberta-v2' }, [], 'rerank'],
  [classifier('DistilBertForSequenceClassification', ['NEGATIVE', 'POSITIVE']), [], undefined],
  [
    { ...classifier('BertForSequenceClassification', ['NEGATIVE', 'POSITIVE']), model_type: 'bert' },
    [],
    undefined,
  ],
  [classifier('RobertaForSequenceClassification', ['LABEL_0', 'LABEL_1', 'LABEL_2']), [], undefined],
  [{ ...classifier('BertForTokenClassification', ['LABEL_0']), model_type: 'bert' }, [], undefined],
  [{ architectures: ['WhisperForConditionalGeneration'], model_type: 'whisper' }, [], 'transcription'],
  [{ model_type: 'lite-whisper' }, [], 'transcription'],
  [{ model_type: 'moonshine' }, [], 'transcription'],
  [{ model_type: 'moonshine_streaming' }, [], 'transcription'],
  [{ model_type: 'nemo-conformer-ctc' }, ['vocab.txt'], 'transcription'],
  [{ model_type: 'nemo-conformer-tdt' }, ['vocab.txt'], 'transcription'],
  [{ model_type: 'nemo-conformer-aed' }, ['vocab.txt'], 'transcription'],
  [{ architectures: ['Wav2Vec2ForCTC'], model_type: 'wav2vec2' }, [], 'transcription'],
  [
    { architectures: ['Wav2Vec2ForSequenceClassification'], model_type: 'wav2vec2', id2label: {} },
    [],
    undefined,
  ],
  [{ architectures: ['SpeechT5ForSpeechToText'], model_type: 'speecht5' }, [], 'transcription'],
  [{ architectures: ['SpeechT5ForTextToSpeech'], model_type: 'speecht5' }, [], 'speech'],
  [{ model_type: 'vits' }, [], 'speech'],
  [{ model_type: 'style_text_to_speech_2' }, [], 'speech'],
  [{}, ['voices/af_heart.bin'], 'speech'],
  [{}, ['en_US-joe-medium.onnx', 'en_US-joe-medium.onnx.json'], 'speech'],
  [{ architectures: ['RTDetrV2ForObjectDetection'] }, [], 'detection'],
  [{ model_type: 'd_fine' }, [], 'detection'],
  [{ model_type: 'owlv2' }, [], 'detection'],
  [{ model_type: 'siglip' }, [], 'embedding'],
  [{ model_type: 'rt_detr' }, [], 'detection'],
  [{}, ['coco.names'], 'detection'],
  [undefined, ['model_index.json', 'unet/model.onnx'], 'image'],
  [{ architectures: ['ViTForImageClassification'], model_type: 'vit' }, [], undefined],
  [{ architectures: 'LlamaForCausalLM', model_type: 7 }, [], undefined],
  [undefined, [], undefined],
])('%j with %j is for %s', (config, paths, expected) => {
  const files = paths.map((path) => ({ path }));
  const evidence = { files, config: config ?? {} };
  expect(recognizeFiles(evidence)).toBe(expected);
});

/** A config that names its labels. */
function classifier(architecture: string, labels: readonly string[]): object {
  return { architectures: [architecture], id2label: { ...labels } };
}
