import type { FileTree } from '../../../../contracts/files.ts';
import { sourceError } from '../../../../folder/model-files.ts';
import { isVoiceConfig } from '../../../../folder/source.ts';

export function piperGraph(files: FileTree): string | undefined {
  const graphs = files
    .list('')
    .filter(isVoiceConfig)
    .map((config) => config.slice(0, -'.json'.length));
  if (graphs.length > 1) {
    const reason = `expected one voice in ${files.name}, found ${graphs.join(', ')}; give one of these files`;
    throw sourceError(reason);
  }
  const [graph] = graphs;
  if (graph !== undefined && !files.has(graph)) throw sourceError(`${graph} is missing in ${files.name}`);
  return graph;
}
