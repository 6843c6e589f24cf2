import { defineCommand, exitCode, untilInterrupted } from '../command.ts';
import { formatBytes } from '../format.ts';
import { aboutModel, fetchModel } from '../load-models.ts';
import { readModelChoice, modelChoiceTable } from '../model-settings.ts';
import { parseSource } from '../../folder/source.ts';
import { UsageError, hubOptionTable } from '../options.ts';
import { diskUse } from './cached-models.ts';

export const command = defineCommand({
  name: 'models pull',
  operands: '<model>…',
  summary: 'Downloads models before they are served.',
  description: [
    'A model is a name of the catalogue, org/name or org/name@revision on Hugging Face, or the address of a folder. Only the files that its category needs are downloaded. A download that Ctrl-C or the network interrupts resumes at the next pull.',
  ],
  options: { ...modelChoiceTable, ...hubOptionTable },
  examples: {
    'slashv1 models pull whisper-base': 'a model of the catalogue',
    'slashv1 models pull onnx-community/Qwen3-0.6B-ONNX --dtype q4f16': 'a repository, smaller weights',
    'HF_TOKEN=hf_… slashv1 models pull my-org/private-model': 'a model that needs a token',
  },
  async run(values, sources, terminal) {
    if (sources.length === 0) throw new UsageError('Expected the name of a model, such as whisper-base.');
    const { messages, output } = terminal;
    const code = await untilInterrupted(async (signal) => {
      for (const source of sources) {
        const settings = readModelChoice(source, values);
        const model = await fetchModel(settings, { terminal, signal }).catch(aboutModel(source));
        if (parseSource(source, model.category).kind === 'local') {
          messages.write(`${source} is on this disk already.\n`);
          continue;
        }
        const size = formatBytes(diskUse(model.source));
        messages.write(`${messages.style.green('✓')} ${source}: ${model.category}, ${size}\n`);
        output.write(`${model.source}\n`);
      }
      return exitCode.success;
    });
    if (code === undefined) messages.write('\nStopped. The same command resumes the download.\n');
    return code ?? exitCode.interrupted;
  },
});
