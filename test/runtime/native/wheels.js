// Fetches the libraries that tests of other runtimes and of plugins use: node test/runtime/native/wheels.js
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Versions of ONNX Runtime: its last three minor ones. */
export const versions = ['1.30.0', '1.31.1', '1.32.0'];

const wheels = [
  ...versions.map((version) => [`onnxruntime-${version}`, `onnxruntime==${version}`]),
  ['onnxruntime-gpu', 'onnxruntime-gpu==1.31.1'],
  ['onnxruntime-ep-openvino', 'onnxruntime-ep-openvino==1.8.1'],
  ['onnxruntime-ggml', 'onnxruntime-ggml==0.2.0'],
];

/** @param {string} name of the folder */
export const wheelFolder = (name) => join(tmpdir(), 'slashv1-wheels', name);

/** @param {string} name @returns {string | undefined} why tests with the wheel are skipped */
export const missingWheel = (name) =>
  existsSync(wheelFolder(name))
    ? undefined
    : `${wheelFolder(name)} is missing: node test/runtime/native/wheels.js`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name = '', requirement = ''] of wheels) {
    if (!missingWheel(name)) continue;
    const args = ['-m', 'pip', 'install', '--no-deps', '--target', wheelFolder(name), requirement];
    execFileSync('python3', args, { stdio: 'inherit' });
  }
}
