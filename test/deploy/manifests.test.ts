import { Validator, type Schema } from '@cfworker/json-schema';
import * as kubernetes from 'kubernetes-models';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { createMetrics } from '../../src/create-metrics.ts';

const folder = new URL('../../examples/deploy/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
// Its schema is the one that the compose specification publishes.
const composeSchema = JSON.parse(
  readFileSync(
    createRequire(import.meta.url)
      .resolve('dclint/package.json')
      .replace('package.json', 'schemas/compose.schema.json'),
    'utf8',
  ),
) as Schema;

const program = read('server.js');
/** Variables that the program of a host reads. */
const known = new Set([
  ...[...program.matchAll(/env\['(\w+)'\]/g)].map(([, name]) => name),
  ...[...program.matchAll(/^const \{ ([\w, ='"]+) \} = env;$/gm)].flatMap(([, names]) =>
    names!.match(/\b[A-Z_]+\b/g)!,
  ),
  ...[...read('redis-limiter.js').matchAll(/env\['(\w+)'\]/g)].map(([, name]) => name),
]);

interface Compose {
  services: Record<
    string,
    {
      environment?: Record<string, string>;
      depends_on?: string[] | Record<string, object>;
      volumes?: string[];
      stop_grace_period?: string;
    }
  >;
}

describe('compose.yaml', () => {
  const compose = parse(read('compose.yaml'), { merge: true }) as Compose;

  it('is valid by the schema of the compose specification', () => {
    const validator = new Validator(composeSchema, '7', false);
    expect(validator.validate(compose).errors).toEqual([]);
    expect(validator.validate({ services: { a: { imagee: 'x' } } }).valid).toBe(false);
  });

  it('depends on services and files that there are', () => {
    for (const [name, { depends_on = [], volumes = [] }] of Object.entries(compose.services)) {
      const others = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
      for (const other of others) expect(Object.keys(compose.services), name).toContain(other);
      for (const volume of volumes) {
        const [path] = volume.split(':');
        if (/\.\w+$/.test(path!)) expect(read(path!), path).not.toBe('');
      }
    }
  });

  it.each(['host-1', 'host-2'])('%s gets variables that its program reads, and time to drain', (host) => {
    const { environment, stop_grace_period } = compose.services[host]!;
    for (const name of Object.keys(environment!)) expect([...known]).toContain(name);
    const drainMs = 6 * Number(environment!['DRAIN_DELAY_MS']) + Number(environment!['GRACE_MS']);
    expect(Number.parseInt(stop_grace_period!, 10) * 1000).toBeGreaterThan(drainMs);
  });

  it('has the hosts that haproxy and Prometheus ask', () => {
    const { HOST_1, HOST_2 } = compose.services['haproxy']!.environment!;
    const { scrape_configs } = parse(read('prometheus.yml')) as {
      scrape_configs: { static_configs: { targets: string[] }[] }[];
    };
    expect([HOST_1, HOST_2]).toEqual(['host-1:8000', 'host-2:8000']);
    expect(scrape_configs[0]!.static_configs[0]!.targets).toEqual([HOST_1, HOST_2]);
    const variables = ['haproxy.cfg', 'nginx.conf.template'].flatMap((config) => [
      ...read(config).matchAll(/\$\{(\w+)\}/g),
    ]);
    expect(variables).toHaveLength(6);
    for (const [, name] of variables) {
      expect(compose.services['haproxy']!.environment).toHaveProperty(name!);
    }
  });
});

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // Their shapes are checked by the published schemas.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly spec: any;
  readonly data?: Record<string, string>;
}

function readResources(name: string): Resource[] {
  return parseAllDocuments(read(name)).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Resource;
  });
}

type Model = new (resource: unknown) => { validate(): void };
type Group = Readonly<Record<string, Readonly<Record<string, Model>>>>;

/** The schema of a resource of Kubernetes. */
function modelOf({ apiVersion, kind }: Resource): Model {
  const models = kubernetes as unknown as Readonly<Record<string, Group>> & {
    readonly v1: Readonly<Record<string, Model>>;
  };
  const [version, group] = apiVersion.split('/').toReversed();
  return group === undefined ? models.v1[kind]! : models[group]![version!]![kind]!;
}

describe('kubernetes', () => {
  const service = readResources('kubernetes/service.yaml');
  const autoscaling = readResources('kubernetes/autoscaling.yaml');
  const all = [...service, ...autoscaling];
  const find = (kind: string): Resource => all.find((resource) => resource.kind === kind)!;

  it.each(all.map((resource) => [resource.kind, resource] as const))(
    '%s is valid by its schema',
    (_kind, resource) => {
      const Model = modelOf(resource);
      expect(() => new Model(resource).validate()).not.toThrow();
      expect(() => new Model({ ...resource, metadata: { name: 7 } }).validate()).toThrow();
    },
  );

  it('selects the pods of the deployment, and asks the port that they have', () => {
    const { template, selector } = find('Deployment').spec;
    const { labels } = template.metadata;
    expect(labels).toMatchObject(selector.matchLabels);
    expect(labels).toMatchObject(find('Service').spec.selector);
    expect(labels).toMatchObject(find('PodDisruptionBudget').spec.selector.matchLabels);
    const [container] = template.spec.containers;
    const ports = container.ports.map(({ name }: { name: string }) => name);
    expect(ports).toEqual([find('Service').spec.ports[0].targetPort]);
    for (const [probe, path] of [
      ['startupProbe', '/health/live'],
      ['livenessProbe', '/health/live'],
      ['readinessProbe', '/health/ready'],
    ] as const) {
      expect(container[probe].httpGet).toEqual({ path, port: ports[0] });
    }
    const mounts = container.volumeMounts.map(({ name }: { name: string }) => name);
    expect(template.spec.volumes.map(({ name }: { name: string }) => name)).toEqual(mounts);
  });

  it('gives a host time to drain, and variables that its program reads', () => {
    const { spec } = find('Deployment').spec.template;
    const env = spec.containers[0].env as { name: string; value?: string }[];
    for (const { name } of env) expect([...known]).toContain(name);
    const value = (wanted: string) => Number(env.find(({ name }) => name === wanted)!.value);
    expect(spec.terminationGracePeriodSeconds * 1000).toBeGreaterThan(
      6 * value('DRAIN_DELAY_MS') + value('GRACE_MS'),
    );
    const { periodSeconds, failureThreshold } = spec.containers[0].readinessProbe;
    expect(value('DRAIN_DELAY_MS')).toBeGreaterThan(periodSeconds * failureThreshold * 1000);
  });

  it('scales the deployment by a metric that the adapter makes', () => {
    const { scaleTargetRef, metrics } = find('HorizontalPodAutoscaler').spec;
    expect(scaleTargetRef.name).toBe(find('Deployment').metadata.name);
    const { rules } = parse(find('ConfigMap').data!['config.yaml']!) as {
      rules: { name: { matches: string } }[];
    };
    expect(rules[0]!.name.matches).toBe(metrics[0].pods.metric.name);
  });
});

it('alerts and rules name metrics that there are', async () => {
  const { register } = createMetrics();
  const names = (await register.getMetricsAsJSON()).map(({ name }) => name);
  const text = read('alerts.yml') + read('kubernetes/autoscaling.yaml');
  const used = [...text.matchAll(/\bslashv1_\w+/g)].map(([name]) => name);
  expect(used.length).toBeGreaterThan(5);
  for (const name of used) expect(names).toContain(name);
  const { groups } = parse(read('alerts.yml')) as { groups: { rules: { alert: string; expr: string }[] }[] };
  for (const { alert, expr } of groups.flatMap(({ rules }) => rules)) {
    expect(alert).toMatch(/^[A-Z]\w+$/);
    const count = (mark: string): number => expr.split(mark).length;
    expect([count('('), count('{')], alert).toEqual([count(')'), count('}')]);
  }
  expect(parse(read('prometheus.yml'))).toMatchObject({ rule_files: ['alerts.yml'] });
});
