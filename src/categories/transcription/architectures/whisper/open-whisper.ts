import type { SessionBackend } from '../../../../contracts/sessions.ts';
import { createLogMel } from '../../../../core/audio/log-mel.ts';
import { locateModel } from '../../../../folder/source.ts';
import type { ModelSpec } from '../../../../contracts/model.ts';
import type { RecognizerAbility, WindowRecognizer } from '../../recognizer.ts';
import type { TranscriptionSettings } from '../../settings.ts';
import { WindowRecognition } from './recognition.ts';
import { languagesOf, readLanguage, readPrompt } from './request-tokens.ts';
import { openWhisperFolder, type WhisperFolder } from './whisper-folder.ts';
import { loadWhisperModel } from './whisper-model.ts';
import { createWindowDecoder } from './window-decoder.ts';
import { alignmentHeadsOf } from './word-times.ts';

export async function openWhisper(
  spec: ModelSpec<TranscriptionSettings>,
  { openSession }: SessionBackend,
): Promise<WindowRecognizer> {
  const folder = await openWhisperFolder(locateModel(spec.source), spec);
  const model = await loadWhisperModel(folder, (graph) => openSession(graph, spec), spec.device);
  const { melBins, windowFrames, contextLength } = folder;
  const logMel = createLogMel({ melBins, chunkSamples: windowFrames * 160 });
  const tools = { folder, model, logMel, decoder: createWindowDecoder(folder) };
  const hasWordTimes = alignmentHeadsOf(model, folder).length > 0;
  return {
    maxSeconds: windowFrames / 100,
    contextLength,
    languages: languagesOf(folder),
    abilities: new Set([...abilitiesOf(folder), ...(hasWordTimes ? (['wordTimestamps'] as const) : [])]),
    begin(options) {
      const language = readLanguage(options.language, folder);
      return new WindowRecognition(tools, {
        ...options,
        language,
        prompt: readPrompt(options.prompt, folder),
      });
    },
    release: () => model.release(),
  };
}

function abilitiesOf({ vocabulary }: WhisperFolder): readonly RecognizerAbility[] {
  return [
    'temperature',
    ...(vocabulary.startOfPrevious === undefined ? [] : (['prompt'] as const)),
    ...(vocabulary.translate === undefined ? [] : (['translation'] as const)),
  ];
}
