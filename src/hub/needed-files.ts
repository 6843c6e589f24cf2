import { posix } from 'node:path';
import type { Dtype, FileTree, ModelFiles } from '../contracts/files.ts';
import { graphNames, weightFileNames, weightFiles } from '../folder/graph-files.ts';

export interface Choice {
  readonly files: ModelFiles;
  readonly dtype?: Dtype | undefined;
}

/** Selects the files of a repository that a model needs: the small ones, the graphs of one dtype, their weights. */
export function chooseFiles(
  name: string,
  paths: readonly string[],
  { files: { small, graphs }, dtype }: Choice,
): readonly string[] {
  const files = toFileTree(name, paths);
  const patterns = small.map(toPattern);
  const chosen = graphs(files, dtype);
  return [
    ...paths.filter((path) => patterns.some((pattern) => pattern.test(path))),
    ...chosen,
    ...chosen.flatMap((graph) => weightFiles(files, graph)),
  ];
}

/** The files that a model may have, for servers without listings: without the weights of its graphs. */
export function possibleFiles({ files: { small, stems }, dtype }: Choice): readonly string[] {
  return [...small.flatMap(spellOut), ...stems.flatMap((stem) => graphNames(stem, dtype))];
}

/** The paths that may hold the weights of the graphs. */
export function possibleWeightFiles(
  name: string,
  paths: readonly string[],
  choice: Choice,
): readonly string[] {
  return choice.files.graphs(toFileTree(name, paths), choice.dtype).flatMap(weightFileNames);
}

export function toFileTree(name: string, paths: readonly string[]): FileTree {
  return {
    name,
    has: (path) => paths.includes(path),
    list: (folder) =>
      paths.filter((path) => posix.dirname(path) === (folder || '.')).map((path) => posix.basename(path)),
  };
}

/** `*` matches a name without folders, never a path that leads outside. */
function toPattern(path: string): RegExp {
  const parts = path.split('*').map((part) => part.replaceAll(/[.]/g, String.raw`\.`));
  return new RegExp(`^${parts.join(String.raw`[\w-][\w.-]*`)}$`);
}

function spellOut(path: string): readonly string[] {
  if (path === 'voices/*.bin') return kokoroVoices.map((voice) => path.replace('*', voice));
  if (path === '*_Pooling/config.json') return ['1_Pooling/config.json'];
  return path.includes('*') ? [] : [path];
}

/** The voices of Kokoro 1.0, for servers without listings. */
export const kokoroVoices: readonly string[] = `
  af_alloy af_aoede af_bella af_heart af_jessica af_kore af_nicole af_nova af_river af_sarah af_sky
  am_adam am_echo am_eric am_fenrir am_liam am_michael am_onyx am_puck am_santa
  bf_alice bf_emma bf_isabella bf_lily bm_daniel bm_fable bm_george bm_lewis
  ef_dora em_alex em_santa ff_siwis hf_alpha hf_beta hm_omega hm_psi if_sara im_nicola
  jf_alpha jf_gongitsune jf_nezumi jf_tebukuro jm_kumo pf_dora pm_alex pm_santa
  zf_xiaobei zf_xiaoni zf_xiaoxiao zf_xiaoyi zm_yunjian zm_yunxi zm_yunxia zm_yunyang
`
  .trim()
  .split(/\s+/);
