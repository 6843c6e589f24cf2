import { categories } from '../../categories/registry.ts';
import type { ModelInfo } from '../../index.ts';
import { renderTable } from '../table.ts';
import type { OutputStream } from '../terminal.ts';
import type { KeyOrigin } from './serve-settings.ts';

export interface Serving {
  readonly origin: string;
  readonly models: readonly ModelInfo[];
  readonly keyOrigin: KeyOrigin;
  /** Other services. */
  readonly places: readonly { readonly name: string; readonly path: string }[];
}

/** The announcement of a service that has started. */
export function serviceBanner(
  { origin, models, keyOrigin, places }: Serving,
  { style }: OutputStream,
): string {
  const rows = models.map(({ id, category, contextLength }) => [
    `  ${id}`,
    category,
    contextLength > 0 ? `${contextLength} tokens` : '',
  ]);
  const titles = [{ title: '  model' }, { title: 'category' }, { title: 'context' }];
  const addresses = [
    ...keyRows(keyOrigin),
    ...places.map(({ name, path }): [string, string] => [name, origin + path]),
  ];
  const widest = Math.max(...addresses.map(([name]) => name.length));
  return [
    `${style.bold(style.green('slashv1 serves'))} ${style.bold(`${origin}/v1`)}`,
    renderTable(titles, rows, style.dim),
    addresses.map(([name, value]) => `  ${style.dim(name.padEnd(widest))}  ${value}`).join('\n'),
    `${style.dim('Try it:')}\n\n${curlLine(origin, models[0]!, keyOrigin)}`,
  ].join('\n\n');
}

function keyRows(origin: KeyOrigin): readonly [string, string][] {
  if (origin === 'none') return [['key', 'none: everybody who can connect is served']];
  if (origin === 'environment') return [['key', '$SLASHV1_API_KEY']];
  return origin === 'given' ? [] : [['key', `${origin.made}  (made for this run)`]];
}

function curlLine(origin: string, { id, category }: ModelInfo, keyOrigin: KeyOrigin): string {
  const { path, body, form, file } = categories.get(category)!.sample;
  const header = authorization(keyOrigin);
  const sent =
    form === undefined
      ? ` -H 'Content-Type: application/json' -d '${quoted(JSON.stringify({ model: id, ...body }))}'`
      : ` -F model='${quoted(id)}' ${form}`;
  return `curl ${origin}/v1/${path}${header}${sent}${file === undefined ? '' : ` -o ${file}`}`;
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
