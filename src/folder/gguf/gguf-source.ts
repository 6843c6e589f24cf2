import { posix } from 'node:path';
import type { ModelFiles } from '../../contracts/files.ts';
import { sourceError } from '../model-files.ts';

/** Whether a source names a GGUF file. */
export function isGguf(source: string): boolean {
  return source.endsWith('.gguf');
}

/** `name-00001-of-00003.gguf`: the first of several parts. */
const part = /-00001-of-(\d{5})\.gguf$/;

export function ggufFiles(path: string): ModelFiles {
  return {
    small: [],
    stems: [],
    graphs(files) {
      const count = Number(part.exec(path)?.[1] ?? 1);
      const paths = Array.from({ length: count }, (_, index) =>
        path.replace('-00001-of-', `-${String(index + 1).padStart(5, '0')}-of-`),
      );
      const missing = paths.find((one) => !files.has(one));
      if (missing === undefined) return paths;
      const others = files.list(posix.dirname(path).replace(/^\.$/, '')).filter(isGguf);
      const offered = others.length === 0 ? 'no GGUF file' : others.join(', ');
      throw sourceError(`${files.name} has no ${missing}, only ${offered}`);
    },
  };
}
