import { existsSync, readdirSync, statSync } from 'node:fs';
import { quote } from '../core/text/quote.ts';

/** Name suffix → why a file of this kind can't be loaded, and the remedy. */
const kinds: readonly (readonly [ends: RegExp, explain: (name: string) => string])[] = [
  [/\.gguf$/, (name) => `GGUF files: give one of them as source, such as ${quote(name)}`],
  [
    /\.safetensors$|\.bin$|\.pth?$/,
    () =>
      'weights for PyTorch and no ONNX graph: look for an ONNX or GGUF version on Hugging Face, or make one with `optimum-cli export onnx --model … folder`',
  ],
  [/\.(?:h5|msgpack|tflite|mlmodel|mlpackage)$/, () => 'weights of another program and no ONNX graph'],
];

/** Describes files that don't include a graph. */
export function explainFiles(names: readonly string[], prefix = ''): string | undefined {
  for (const [ends, explain] of kinds) {
    const name = names.find((candidate) => ends.test(candidate));
    if (name !== undefined) return explain(prefix + name);
  }
  return undefined;
}

/** Describes a source that isn't a model folder. */
export function explainPath(source: string): string | undefined {
  const isThere = existsSync(source);
  if (isThere && statSync(source).isDirectory()) {
    const found = explainFiles(readdirSync(source), source.endsWith('/') ? source : `${source}/`);
    return found && `expected a config.json in ${quote(source)}, which has ${found}`;
  }
  if (source.endsWith('.gguf')) {
    return isThere
      ? `${quote(source)} is a GGUF file, which runs with the backend llama({…})`
      : `there is no file ${quote(source)}; one on Hugging Face is org/name/file.gguf`;
  }
  if (source.endsWith('.onnx'))
    return `expected the folder of the model, got the graph ${quote(source)}; config and tokenizer stand beside it`;
  const found = explainFiles([source]);
  if (found !== undefined) return `${quote(source)} is ${found}`;
  if (isLibraryName.test(source))
    return `${quote(source)} is a name in another program's library; give a GGUF file, or the model's id on Hugging Face, org/name`;
  return undefined;
}

/** `llama3.2:1b`, `library/qwen3:4b-q4_K_M` */
const isLibraryName = /^(?:[a-z][\w.-]*\/)?[a-z][\w.-]*:[\w.-]+$/i;
