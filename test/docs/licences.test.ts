import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { expectPage } from './generated-page.ts';

interface Entry {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const root = resolve(import.meta.dirname, '../..');
const { packages } = JSON.parse(readFileSync(resolve(root, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, Entry>>;
};

const permissive = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  '(MIT OR CC0-1.0)',
]);

/** Places in the lock file of everything that cannot be left out, as Node.js finds it from the place that needs it. */
function requiredPlaces(): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (place: string): void => {
    for (const name of Object.keys(packages[place]!.dependencies ?? {})) {
      let from: string | undefined = place;
      let location: string | undefined;
      while (from !== undefined && location === undefined) {
        const candidate: string = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
        if (packages[candidate]) location = candidate;
        from =
          from === ''
            ? undefined
            : from.includes('/node_modules/')
              ? from.slice(0, from.lastIndexOf('/node_modules/'))
              : '';
      }
      if (location === undefined) throw new Error(`${name} of ${place} is not in the lock file`);
      if (found.has(location)) continue;
      found.add(location);
      visit(location);
    }
  };
  visit('');
  return found;
}

const nameOf = (place: string): string =>
  place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
const required = requiredPlaces();
const installed = Object.entries(packages).filter(
  ([place, { dev, link }]) => place.startsWith('node_modules/') && !dev && !link,
);

function table(rows: readonly (readonly [string, Entry])[]): string {
  const byLicence = new Map<string, Set<string>>();
  for (const [place, { license = 'none named', version }] of rows) {
    const names = byLicence.get(license) ?? new Set();
    byLicence.set(license, names.add(`${nameOf(place)} ${version}`));
  }
  const lines = [...byLicence]
    .sort()
    .map(([licence, names]) => `| ${licence} | ${[...names].sort().join(', ')} |`);
  return ['| license | packages |', '| --- | --- |', ...lines].join('\n');
}

it('what cannot be left out is permissive', () => {
  expect(required.size).toBeGreaterThan(20);
  const others = [...required].filter((place) => !permissive.has(packages[place]!.license ?? ''));
  expect(others).toEqual([]);
});

it('docs/licences.md is that of the lock file', async () => {
  const text = `# Licenses

slashv1 itself and the bundled models are under Apache-2.0.

## Required

Permissive, all of it: what \`npm install --omit=optional slashv1\` installs.

${table(installed.filter(([place]) => required.has(place)))}

## Bundled

\`dist/lib\` holds zod (MIT); \`dist/lib/licences.md\` has its text. The playground's page holds marked (MIT), highlight.js (BSD-3-Clause), lowlight and devlop (MIT). \`dist/src/playground/page/licences.md\` in the package has their texts.

## Optional

npm installs these where they fit the platform; \`--omit=optional\` leaves them out. Some are copyleft:

- **libvips** (LGPL-3.0-or-later), a shared library in packages of its own that sharp loads. Detection and image generation need it.
- **codec-parser** (LGPL-3.0-or-later), JavaScript that the decoders of FLAC and Vorbis import. Without them these two formats are refused by name.

${table(installed.filter(([place]) => !required.has(place)))}

## Optional peers

Never installed by slashv1. \`@evan/opus\` is under the MIT license and contains libopus: BSD-3-Clause. The static builds of \`node-webcodecs\` contain FFmpeg: LGPL-2.1-or-later. \`piper-phonemize\` contains eSpeak NG and its data: GPL-3.0-or-later. An \`ffmpeg\` program of yours has the license of its build.
`;
  await expectPage('docs/licences.md', () => text);
});
