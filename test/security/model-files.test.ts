import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readGgufMetadata } from '../../src/core/gguf/read-metadata.ts';
import { compileTemplate } from '../../src/core/jinja/template.ts';
import { createOnnxSession } from '../../src/runtime/onnx.ts';
import { external, model, node, value } from '../runtime/onnx-writer.ts';

describe('weights of a graph outside of its folder are not read', () => {
  it.each([
    ['above it', () => join('..', 'secret', 'x')],
    ['far above it', () => join('sub', '..', '..', 'secret', 'x')],
    ['at an absolute path', (folder: string) => join(folder, '..', 'secret', 'x')],
  ])('%s', async (_title, locationOf) => {
    const root = await mkdtemp(join(tmpdir(), 'slashv1-test-external-'));
    onTestFinished(() => rm(root, { recursive: true }));
    const folder = join(root, 'model');
    await Promise.all([mkdir(join(folder, 'sub'), { recursive: true }), mkdir(join(root, 'secret'))]);
    await writeFile(join(root, 'secret', 'x'), new Uint8Array(Float32Array.of(1, 2).buffer));
    const graph = model({
      name: 'adding',
      nodes: [node('Add', ['x', 'a'], 'y')],
      constants: [external('a', [2], locationOf(folder))],
      inputs: [value('x', [2])],
      outputs: [value('y', [2])],
    });
    await writeFile(join(folder, 'model.onnx'), graph);
    await expect(createOnnxSession(join(folder, 'model.onnx'), {})).rejects.toThrow();
  });
});

describe('a hostile template ends with an error', () => {
  it.each([
    [
      'loops in loops',
      '{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}{% endfor %}',
    ],
    [
      'a text that doubles',
      "{% set ns = namespace(x='aaaaaaaaaaaaaaaa') %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x }}",
    ],
    ['a text times a number', "{{ 'a' * 999999999999 }}"],
    [
      'a list that doubles',
      '{% set ns = namespace(x=[1]) %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}',
    ],
    ['a macro that calls itself', '{% macro f(n) %}{{ f(n + 1) }}{% endmacro %}{{ f(0) }}'],
    ['a number of a million digits', '{{ (10 ** 99999) ** 99999 }}'],
    ['a way to the constructor', "{{ ''.constructor.constructor('return process')().exit() }}"],
    ['a way to the prototype', '{{ {}.__proto__.polluted.x }}'],
    ['blocks in blocks', '{% if x %}'.repeat(100_000)],
    ['brackets in brackets', `{{ ${'('.repeat(100_000)}1${')'.repeat(100_000)} }}`],
  ])('%s', (_title, source) => {
    expect(() => compileTemplate(source, () => new Date(0)).render({ x: 1 })).toThrow();
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe('a head of GGUF that announces more than it has', () => {
  const head = (...parts: readonly (readonly [size: 4 | 8, value: number])[]): Uint8Array => {
    const bytes = Buffer.alloc(4 + parts.reduce((sum, [size]) => sum + size, 0) + 64);
    bytes.write('GGUF');
    let at = 4;
    for (const [size, number] of parts) {
      if (size === 4) bytes.writeUInt32LE(number, at);
      else bytes.writeBigUInt64LE(BigInt(number), at);
      at += size;
    }
    return bytes;
  };
  const emptyKey = [8, 0] as const;
  const [version, noTensors] = [[4, 3] as const, [8, 0] as const];
  it.each([
    ['entries', head(version, noTensors, [8, 2 ** 52])],
    ['a key', head(version, noTensors, [8, 1], [8, 2 ** 52])],
    ['a text', head(version, noTensors, [8, 1], emptyKey, [4, 8], [8, 2 ** 52])],
    ['a list', head(version, noTensors, [8, 1], emptyKey, [4, 9], [4, 4], [8, 2 ** 52])],
    [
      'lists in lists',
      head(
        version,
        noTensors,
        [8, 1],
        emptyKey,
        ...Array.from(
          { length: 9 },
          () =>
            [
              [4, 9],
              [4, 9],
              [8, 1],
            ] as const,
        ).flat(),
      ),
    ],
    ['an unknown type', head(version, noTensors, [8, 1], emptyKey, [4, 99])],
    ['another version', head([4, 99])],
  ])('%s: is refused or asks for more, and takes no memory', (_title, bytes) => {
    const read = (): unknown => {
      try {
        return readGgufMetadata(bytes);
      } catch (error) {
        return error;
      }
    };
    const result = read();
    expect(result === undefined || result instanceof RangeError).toBe(true);
  });
});
