/**
 * Functions that are replaced, by the module that exports them. Checks at load compare a rewritten graph with its original
 * and batches with single rows, and do without what differs: they are made without noise, so that tests of it find it.
 */
const replacements = [
  { path: /\/src\/runtime\/onnx\.[jt]s$/, name: 'createOnnxSession', by: 'noisy' },
  { path: /\/src\/runtime\/attention-windows\.[jt]s$/, name: 'readAttentionWindows', by: 'quiet' },
  { path: /\/src\/backends\/onnx\/chat\/prepare-graph\.[jt]s$/, name: 'prepareGraph', by: 'quiet' },
  { path: /\/src\/categories\/chat\/pipeline\/ragged-trial\.[jt]s$/, name: 'stepsRaggedRows', by: 'quiet' },
];

/**
 * A module with functions that add noise, or do without; `undefined` for all other modules.
 *
 * @param {string} path
 * @param {string} code
 */
export function noisySource(path, code) {
  const replacement = replacements.find((one) => one.path.test(path));
  if (replacement === undefined) return undefined;
  const { name, by } = replacement;
  const exact = code.replace(`export async function ${name}(`, 'async function exactly(');
  if (exact === code) throw new Error(`${path}: expected the function ${name}`);
  const double = JSON.stringify(new URL('noisy-session.js', import.meta.url).href);
  return `${exact}\nimport { ${by} } from ${double};\nexport const ${name} = ${by}(exactly);\n`;
}
