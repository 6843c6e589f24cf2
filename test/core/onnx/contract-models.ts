import { fileURLToPath } from 'node:url';

/** Path of a graph among the miniatures of real architectures. */
export function contractGraph(name: string, file = 'onnx/model.onnx'): string {
  return fileURLToPath(new URL(`../../contract/models/${name}/${file}`, import.meta.url));
}
