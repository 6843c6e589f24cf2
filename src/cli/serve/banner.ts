import { categories } from '../../categories/registry.ts';
import type { ModelInfo } from '../../index.ts';
import { renderTable } from '../format.ts';
import type { OutputStream } from '../terminal.ts';
import type { KeyOrigin } from './serve-settings.ts';

export interface Serving {
  readonly origin: string;
  readonly models: readonly ModelInfo[];
  readonly keyOrigin: KeyOrigin;
  /** Additional services. */
  readonly places: readonly { readonly name: string; readonly path: string }[];
}

export function serviceBanner(
  { origin, models, keyOrigin, places }: Serving,
  { style }: OutputStream,
): string {
  const rows = models.map(({ id, category, contextLength, demo }) => [
    `  ${id}`,
    category,
    contextLength ? `${contextLength} tokens` : '',
    demo === undefined ? '' : `demo: ${demo.description}`,
  ]);
  const titles = ['  model', 'category', 'context', ''];
  const addresses = [
    ...keyRows(keyOrigin),
    ...places.map(({ name, path }): [string, string] => [name, origin + path]),
  ];
  const widest = Math.max(...addresses.map(([name]) => name.length));
  return [
    `${style.bold(style.green('slashv1 serves'))} ${style.bold(`${origin}/v1`)}`,
    renderTable(titles, rows, style.dim),
    ...demoLines(models, style),
    addresses.map(([name, value]) => `  ${style.dim(name.padEnd(widest))}  ${value}`).join('\n'),
    `${style.dim('Try it:')}\n\n${curlLine(origin, models[0]!, keyOrigin)}`,
  ].join('\n\n');
}

/** The command that serves real models instead of demo models. */
function demoLines(models: Serving['models'], style: OutputStream['style']): readonly string[] {
  const replacements = models.flatMap(({ demo }) => (demo ? [`--model ${demo.replacement}`] : []));
  if (replacements.length === 0) return [];
  return [
    `${style.dim('Demo models know nothing beyond their lines. Real models in their place:')}\n\nslashv1 serve ${replacements.join(' ')}`,
  ];
}

function keyRows(origin: KeyOrigin): readonly [string, string][] {
  if (origin === 'none') return [['key', 'none: everybody who can connect is served']];
  if (origin === 'environment') return [['key', '$SLASHV1_API_KEY']];
  return origin === 'given' ? [] : [['key', `${origin.made}  (made for this run)`]];
}

function curlLine(origin: string, { id, category }: ModelInfo, keyOrigin: KeyOrigin): string {
  const { path, body, form, file, pipe } = categories.get(category)!.sample;
  const header = authorization(keyOrigin);
  const sent =
    form === undefined
      ? ` -H 'Content-Type: application/json' -d '${quoted(JSON.stringify({ model: id, ...body }))}'`
      : ` -F model='${quoted(id)}' ${form}`;
  const saved = file === undefined ? '' : ` -o ${file}`;
  return `curl ${origin}/v1/${path}${header}${sent}${saved}${pipe === undefined ? '' : ` | ${pipe}`}`;
}

function authorization(origin: KeyOrigin): string {
  if (origin === 'none') return '';
  if (origin === 'environment') return ` -H "Authorization: Bearer $SLASHV1_API_KEY"`;
  return ` -H 'Authorization: Bearer ${origin === 'given' ? 'YOUR_KEY' : origin.made}'`;
}

/** For a shell, between single quotes. */
function quoted(text: string): string {
  return text.replaceAll("'", String.raw`'\''`);
}
