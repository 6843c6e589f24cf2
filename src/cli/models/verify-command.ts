import { listCachedModels } from '../../hub/model-cache.ts';
import { bundledModelNames } from '../../folder/bundled-models.ts';
import { verifyFiles } from '../../hub/verify-files.ts';
import { defineCommand, exitCode } from '../command.ts';
import { hubOptionTable, readHubOptions } from '../options.ts';
import { cachedName, notCached } from './cached-models.ts';

export const command = defineCommand({
  name: 'models verify',
  operands: '[model…]',
  summary: 'Compares the files of models with the hashes from Hugging Face or their package.',
  description: [
    'Default: all downloaded and all bundled models. Loading a model checks it, too; this command finds a damaged file earlier.',
  ],
  options: { 'cache-dir': hubOptionTable['cache-dir'] },
  examples: {
    'slashv1 models verify': 'all models',
    'slashv1 models verify whisper-base tiny-chat': 'these',
  },
  async run(values, names, { output }) {
    const { cacheFolder } = readHubOptions(values);
    const cached = (await listCachedModels(cacheFolder)).map((model) => ({
      name: model.source,
      label: `${model.source}@${model.revision}`,
      source: model.folder,
    }));
    const bundled = bundledModelNames.map((name) => ({ name, label: name, source: name }));
    const all = [...bundled, ...cached];
    const wanted = names.map(cachedName);
    for (const [index, name] of wanted.entries()) {
      if (all.some((model) => model.name === name)) continue;
      const known = all.map((model) => model.name);
      throw notCached(names[index]!, { source: name, cacheFolder, known });
    }
    let isDamaged = false;
    for (const { label, source } of all.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
      const { checked, damaged } = await verifyFiles(source);
      isDamaged ||= damaged.length > 0;
      if (damaged.length > 0) output.write(`${output.style.red('✗')} ${label}: ${damaged.join(', ')}\n`);
      else if (checked === 0) output.write(`? ${label}: no hashes are known\n`);
      else output.write(`${output.style.green('✓')} ${label}: ${checked} files\n`);
    }
    return isDamaged ? exitCode.failure : exitCode.success;
  },
});
