export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\.)*)"(?:,|$)/y;

/**
 * Reads Prometheus' text format, strictly: what is no comment has to be a sample.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function parseText(text: string): readonly Sample[] {
  if (!text.endsWith('\n')) throw new Error('expected a line feed at the end');
  const lines = text.split('\n').filter((content) => content !== '' && !content.startsWith('#'));
  return lines.map((content) => {
    const [, name, inner = '', value] = line.exec(content) ?? [];
    if (name === undefined) throw new Error(`expected a sample, got ${content}`);
    return { name, labels: parseLabels(inner), value: Number(value) };
  });
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  label.lastIndex = 0;
  while (label.lastIndex < text.length) {
    const [, name, value] = label.exec(text) ?? [];
    if (name === undefined) throw new Error(`expected labels, got ${text}`);
    labels[name] = value!;
  }
  return labels;
}

/** The value of the only sample with these labels; 0 where there is none. */
export function valueOf(samples: readonly Sample[], name: string, labels: Sample['labels'] = {}): number {
  const found = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  if (found.length > 1) throw new Error(`expected one ${name}, got ${JSON.stringify(found)}`);
  return found[0]?.value ?? 0;
}
