import { readFileSync } from 'node:fs';

// Prints what `npm install --no-save` takes to have the lowest version of each range that the package depends on.

/** @type {Set<string>} */
const lowest = new Set();
for (const path of ['package.json', 'test/engines/package.json']) {
  /** @type {{ dependencies?: Record<string, string>, optionalDependencies?: Record<string, string> }} */
  const manifest = JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'));
  for (const [name, range] of Object.entries({
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
  })) {
    const [version] = /\d+\.\d+\.\d+/.exec(range) ?? [];
    if (version === undefined)
      throw new Error(`${path}: ${name}: expected a range that begins with a version, got ${range}`);
    lowest.add(`${name}@${version}`);
  }
}
console.log([...lowest].join(' '));
