import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';

const miniatures = join(import.meta.dirname, 'miniatures');

/** Lays a miniature out as the hub does, in a folder that goes when the test is over. */
export function unpackMiniature(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'slashv1-miniature-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(miniatures, name), folder, { recursive: true });
  const graphs = join(folder, 'onnx');
  for (const file of readdirSync(graphs)) {
    const path = join(graphs, file);
    writeFileSync(path.replace(/\.gz$/, ''), gunzipSync(readFileSync(path)));
    rmSync(path);
  }
  return folder;
}

/** What the reference said to the miniatures. */
export interface Goldens {
  readonly gpt2: TextGolden;
  readonly t5: TextGolden & { readonly text: string };
  readonly gemma4: {
    readonly content: string;
    readonly tokens: readonly number[];
    readonly logprobs: readonly number[];
  };
  readonly wav2vec2: { readonly text: string };
  readonly moonshine: HeardGolden;
  readonly 'cohere-asr': HeardGolden;
  readonly 'speecht5-asr': HeardGolden;
  readonly vits: { readonly text: string; readonly length: number; readonly samples: readonly number[] };
  readonly clip: {
    readonly texts: readonly string[];
    readonly vectors: readonly (readonly number[])[];
    readonly picture: readonly number[];
  };
  readonly owlv2: {
    readonly words: readonly string[];
    readonly logits: readonly (readonly number[])[];
    readonly boxes: readonly (readonly number[])[];
  };
}

/** The words of a recording. */
export interface HeardGolden {
  readonly text: string;
  readonly tokens: readonly number[];
  /** Mean over the tokens. */
  readonly averageLogprob?: number;
}

/** A prompt, the likeliest tokens after it, and the logits that the first of them were chosen by. */
export interface TextGolden {
  readonly prompt: readonly number[];
  readonly tokens: readonly number[];
  readonly logits: readonly (readonly number[])[];
}

/** What the reference said to a miniature. */
export function readGolden<Name extends keyof Goldens>(name: Name): Goldens[Name] {
  return JSON.parse(readFileSync(join(miniatures, name, 'golden.json'), 'utf8')) as Goldens[Name];
}
