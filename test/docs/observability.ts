import {
  counterDefinitions,
  gaugeDefinitions,
  histogramDefinitions,
  type MetricDefinition,
} from '../../src/observability/metric-definitions.ts';

const kinds = [
  ['counter', counterDefinitions],
  ['histogram', histogramDefinitions],
  ['gauge', gaugeDefinitions],
] as const;

/** The table of all metrics. */
export function writeMetricTable(): string {
  const rows = kinds.flatMap(([kind, definitions]) =>
    Object.values<MetricDefinition>(definitions).map(({ name, help, labels }) => {
      const listed = labels.map((label) => `\`${label}\``).join(', ');
      return `| \`slashv1_${name}\` | ${kind} | ${listed} | ${help} |`;
    }),
  );
  return ['| Metric | Kind | Labels | |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
