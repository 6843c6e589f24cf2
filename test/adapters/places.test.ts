import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { All, Controller, Get, Module, Next, Req, Res, type MiddlewareConsumer } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import express, { type Express } from 'express';
// Without types of its own; what is used of it here is alike.
// @ts-expect-error
import express4 from 'express4';
import type { FastifyInstance } from 'fastify';
import { Hono } from 'hono';
import { Registry } from 'prom-client';
import { afterAll, describe, expect, it } from 'vitest';

import { toExpress } from '../../dist/adapters/express.js';
import { toFastify } from '../../dist/adapters/fastify.js';
import { toFetch } from '../../dist/adapters/fetch.js';
import { toNodeListener } from '../../dist/adapters/node.js';
import { createMetrics } from '../../dist/src/entries/metrics.js';
import { createPlayground } from '../../dist/src/entries/playground.js';
import { createHandler, createHealthHandler } from '../../dist/src/entries/server.js';
import { createFakeInference } from '../../dist/src/entries/testing.js';
import type { Handler } from '../../src/contracts/http.ts';
import { onExpress, onFastify, onNode } from './mounts.ts';

const inference = createFakeInference();

/** Every handler there is, a path of it below its mount and at the root, and a part of its answer. */
const handlers = {
  api: {
    handler: createHandler(inference, { auth: 'none' }),
    below: '/models',
    own: '/v1/models',
    answer: '"object":"list"',
  },
  health: {
    handler: createHealthHandler(inference),
    below: '/live',
    own: '/health/live',
    answer: '"status":"live"',
  },
  metrics: {
    handler: createMetrics({ register: new Registry() }).handler,
    below: '',
    own: '/metrics',
    answer: '# HELP',
  },
  playground: { handler: createPlayground(), below: '/icon.svg', own: '/icon.svg', answer: '<svg' },
} as const;
type Name = keyof typeof handlers;
const all = Object.keys(handlers) as Name[];

interface Host {
  readonly origin: string;
  close(): Promise<void>;
}

type Open = (handler: Handler) => Promise<Host>;

interface Place {
  /** As the page about mounting spells it. */
  readonly code: string;
  readonly open: Open;
  /** Where a path of a handler that lies below its mount is found; `own` at the root. */
  readonly at: 'own' | ((below: string) => string);
  readonly for?: readonly Name[];
  /** A path next to it that has to stay the host's. */
  readonly hosts?: string;
}

const host = 'the host answers';

function express5(build: (app: Express, handler: Handler) => void, create: () => Express = express): Open {
  return async (handler) => {
    const start = onExpress(
      '',
      undefined,
      (app) => {
        build(app, handler);
        app.use((_request, response) => void response.send(host));
      },
      create,
    );
    const { baseUrl, close } = await start(handler);
    return { origin: baseUrl, close };
  };
}

const onExpress4 = (build: (app: Express, handler: Handler) => void): Open =>
  express5(build, express4 as typeof express);

function fastify(build: (app: FastifyInstance, handler: Handler) => void): Open {
  return async (handler) => {
    const start = onFastify('', undefined, (app) => {
      build(app, handler);
      app.setNotFoundHandler((_request, reply) => void reply.send(host));
    });
    const { baseUrl, close } = await start(handler);
    return { origin: baseUrl, close };
  };
}

function node(mountPath?: string): Open {
  return async (handler) => {
    const { baseUrl, close } = await onNode('', mountPath)(handler);
    return { origin: baseUrl, close };
  };
}

function hono(build: (app: Hono, handler: Handler) => void): Open {
  return async (handler) => {
    const app = new Hono();
    build(app, handler);
    app.notFound((context) => context.text(host));
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    return {
      origin: `http://127.0.0.1:${port}`,
      close: async () => void (await new Promise((resolve) => server.close(resolve))),
    };
  };
}

type NestApp = Awaited<ReturnType<typeof NestFactory.create>>;

function nest(build: {
  readonly setUp?: (app: NestApp, handler: Handler) => void;
  readonly module?: (handler: Handler) => unknown;
}): Open {
  return async (handler) => {
    class Plain {
      readonly isPlain = true;
    }
    Module({})(Plain);
    const app = await NestFactory.create((build.module?.(handler) ?? Plain) as never, { logger: false });
    build.setUp?.(app, handler);
    await app.listen(0, '127.0.0.1');
    return { origin: await app.getUrl(), close: () => app.close() };
  };
}

/** A controller with one method, which hands its request to a handler. */
function controller(route: MethodDecorator, mountPath?: string) {
  return (handler: Handler): unknown => {
    const answer = toExpress(handler, { mountPath });
    class Controlled {
      take(request: never, response: never, next: never): void {
        answer(request, response, next);
      }
    }
    const method = Object.getOwnPropertyDescriptor(Controlled.prototype, 'take')!;
    route(Controlled.prototype, 'take', method);
    for (const [index, parameter] of [Req(), Res(), Next()].entries())
      parameter(Controlled.prototype, 'take', index);
    Controller()(Controlled);
    class Controlling {
      readonly isControlling = true;
    }
    Module({ controllers: [Controlled] })(Controlling);
    return Controlling;
  };
}

/** Middleware that a module of Nest applies to a path. */
function consumer(path: string) {
  return (handler: Handler): unknown => {
    class Consuming {
      configure(middleware: MiddlewareConsumer): void {
        middleware.apply(toExpress(handler)).forRoutes(path);
      }
    }
    Module({})(Consuming);
    return Consuming;
  };
}

const below = (mount: string) => (path: string) => mount + path;
const pass = (_request: unknown, _response: unknown, next: () => void): void => next();

const places: readonly Place[] = [
  {
    code: 'app.use(toExpress(handler))',
    open: express5((app, handler) => app.use(toExpress(handler))),
    at: 'own',
    hosts: '/other',
  },
  {
    code: "app.use('/ai', toExpress(handler))",
    open: express5((app, handler) => app.use('/ai', toExpress(handler))),
    at: below('/ai'),
    hosts: '/aix/models',
  },
  {
    code: "app.use('/:team/ai', toExpress(handler))",
    open: express5((app, handler) => app.use('/:team/ai', toExpress(handler))),
    at: below('/a%20b/ai'),
    hosts: '/ai',
  },
  {
    code: "app.use('/api', express.Router().use('/ai', toExpress(handler)))",
    open: express5((app, handler) => app.use('/api', express.Router().use('/ai', toExpress(handler)))),
    at: below('/api/ai'),
    hosts: '/api/models',
  },
  {
    code: "app.all('/ai/{*rest}', toExpress(handler))",
    open: express5((app, handler) => app.all('/ai/{*rest}', toExpress(handler))),
    at: (path) => `/ai${path || '/'}`,
    hosts: '/v1/models',
  },
  {
    code: "app.all('/:team/ai/{*rest}', toExpress(handler))",
    open: express5((app, handler) => app.all('/:team/ai/{*rest}', toExpress(handler))),
    at: (path) => `/a%20b/ai${path || '/'}`,
    hosts: '/ai/models',
  },
  {
    code: "app.use('/api', express.Router().all('/ai/{*rest}', toExpress(handler)))",
    open: express5((app, handler) =>
      app.use('/api', express.Router().all('/ai/{*rest}', toExpress(handler))),
    ),
    at: (path) => `/api/ai${path || '/'}`,
    hosts: '/api/models',
  },
  {
    code: "app.get('/metrics', toExpress(handler))",
    open: express5((app, handler) =>
      app.get(['/metrics', '/internal/live', '/api/v1/models', '/icon.svg'], pass, toExpress(handler)),
    ),
    at: (path) => ({ '/models': '/api/v1/models', '/live': '/internal/live', '': '/metrics' })[path] ?? path,
    hosts: '/health',
  },
  {
    code: "app.all('/ai/{*rest}', (request, response, next) => answer(request, response, next))",
    open: express5((app, handler) => {
      const answer = toExpress(handler);
      app.all('/ai/{*rest}', (request, response, next) => answer(request, response, next));
    }),
    at: (path) => `/ai${path || '/x'}`,
    hosts: '/models',
  },
  {
    code: "toExpress(handler, { mountPath: '/internal' })",
    open: express5((app, handler) => {
      const answer = toExpress(handler, { mountPath: '/internal' });
      app.use(answer);
      app.get('/host', (request, response, next) => answer(request, response, next));
    }),
    at: below('/internal'),
    hosts: '/host',
  },
  {
    code: 'Express, behind a route that passes on',
    open: express5((app, handler) => app.all('/{*rest}', pass).all('/other', pass).use(toExpress(handler))),
    at: 'own',
    hosts: '/other',
  },
  {
    code: 'Express 4 at the root',
    open: onExpress4((app, handler) => app.all('*', pass).use(toExpress(handler))),
    at: 'own',
    hosts: '/other',
  },
  {
    code: 'Express 4 at a path',
    open: onExpress4((app, handler) => app.use('/ai', toExpress(handler))),
    at: below('/ai'),
    hosts: '/other',
  },
  {
    code: "app.all('/ai/*', toExpress(handler))",
    open: onExpress4((app, handler) => app.all('/ai/*', toExpress(handler))),
    at: (path) => `/ai${path || '/'}`,
    hosts: '/v1/models',
  },
  {
    code: 'Express 4, a regular expression',
    open: onExpress4((app, handler) => app.all(/^\/[a-z]{2}(\/.*)/, toExpress(handler))),
    at: (path) => `/ai${path || '/'}`,
    hosts: '/v1',
  },
  {
    code: 'Express 4 at exact paths',
    open: onExpress4((app, handler) =>
      app.get(['/metrics', '/live', '/v1/models', '/icon.svg'], toExpress(handler)),
    ),
    at: (path) => (path === '/models' ? '/v1/models' : path || '/metrics'),
    hosts: '/other',
  },
  {
    code: "app.use('/ai', toNodeListener(handler))",
    open: express5((app, handler) => app.use('/ai', toNodeListener(handler))),
    at: below('/ai'),
    hosts: '/other',
  },

  {
    code: "Nest: app.use('/ai', toExpress(handler))",
    open: nest({ setUp: (app, handler) => app.setGlobalPrefix('api').use('/ai', toExpress(handler)) }),
    at: below('/ai'),
  },
  {
    code: 'Nest: app.use(toExpress(handler))',
    open: nest({ setUp: (app, handler) => app.use(toExpress(handler)) }),
    at: 'own',
    hosts: '/other',
  },
  {
    code: "Nest: consumer.apply(toExpress(handler)).forRoutes('ai/{*rest}')",
    open: nest({ module: consumer('ai/{*rest}') }),
    at: (path) => `/ai${path || '/x'}`,
    hosts: '/other',
  },
  {
    code: "Nest: @All('ai/{*rest}')",
    open: nest({ module: controller(All('ai/{*rest}')) }),
    at: (path) => `/ai${path || '/x'}`,
    hosts: '/other',
  },
  {
    code: "Nest: @Get('metrics')",
    open: nest({ module: controller(Get('metrics')) }),
    at: 'own',
    for: ['metrics'],
    hosts: '/other',
  },
  {
    code: "Nest: @Get('internal/metrics')",
    open: nest({ module: controller(Get('internal/metrics'), '/internal'), setUp: () => undefined }),
    at: () => '/internal/metrics',
    for: ['metrics'],
    hosts: '/internal/other',
  },

  {
    code: 'app.register(toFastify(handler))',
    open: fastify((app, handler) => app.register(toFastify(handler))),
    at: 'own',
    hosts: '/other',
  },
  {
    code: "app.register(toFastify(handler), { prefix: '/ai' })",
    open: fastify((app, handler) => app.register(toFastify(handler), { prefix: '/ai' })),
    at: below('/ai'),
    hosts: '/models',
  },
  {
    code: "app.register(toFastify(handler), { prefix: '/:team/ai' })",
    open: fastify((app, handler) => app.register(toFastify(handler), { prefix: '/:team/ai' })),
    at: below('/a%20b/ai'),
    hosts: '/ai',
  },
  {
    code: 'Fastify, a plugin in a plugin',
    open: fastify((app, handler) =>
      app.register(
        async (inner: FastifyInstance) => void inner.register(toFastify(handler), { prefix: '/ai' }),
        {
          prefix: '/api',
        },
      ),
    ),
    at: below('/api/ai'),
    hosts: '/ai/models',
  },

  { code: 'toNodeListener(handler)', open: node(), at: 'own' },
  { code: "toNodeListener(handler, { mountPath: '/ai' })", open: node('/ai'), at: below('/ai') },
  {
    code: 'toNodeListener(handler), below `/api/v1`',
    open: node(),
    at: below('/api/v1'),
    for: ['api', 'health', 'metrics'],
  },

  {
    code: "app.all('/v1/*', (context) => answer(context.req.raw))",
    open: hono((app, handler) => app.all('/v1/*', (context) => toFetch(handler)(context.req.raw))),
    at: below('/v1'),
    for: ['api', 'health', 'metrics'],
    hosts: '/other',
  },
  {
    code: "app.all('/ai/*', (context) => toFetch(handler, { mountPath: '/ai' })(context.req.raw))",
    open: hono((app, handler) =>
      app.all('/ai/*', (context) => toFetch(handler, { mountPath: '/ai' })(context.req.raw)),
    ),
    at: below('/ai'),
    hosts: '/other',
  },
  {
    code: "app.mount('/ai', answer)",
    open: hono((app, handler) => app.mount('/ai', toFetch(handler))),
    at: below('/ai'),
    hosts: '/other',
  },
  {
    code: "app.route('/api', new Hono().all('/v1/*', (context) => answer(context.req.raw)))",
    open: hono((app, handler) =>
      app.route(
        '/api',
        new Hono().all('/v1/*', (context) => toFetch(handler)(context.req.raw)),
      ),
    ),
    at: below('/api/v1'),
    for: ['api', 'health', 'metrics'],
    hosts: '/v1',
  },
  {
    code: "app.basePath('/api').all('/v1/*', (context) => answer(context.req.raw))",
    open: hono((app, handler) =>
      app.basePath('/api').all('/v1/*', (context) => toFetch(handler)(context.req.raw)),
    ),
    at: below('/api/v1'),
    for: ['api', 'health', 'metrics'],
    hosts: '/v1',
  },
  {
    code: "app.get('/metrics', (context) => answer(context.req.raw))",
    open: hono((app, handler) => app.get('/metrics', (context) => toFetch(handler)(context.req.raw))),
    at: 'own',
    for: ['metrics'],
    hosts: '/other',
  },
];

describe.each(places.map((place) => [place.code, place] as const))(
  '%s',
  (_code, { open, at, for: names = all, hosts }) => {
    const opened: Host[] = [];
    afterAll(() => Promise.all(opened.map((one) => one.close())));

    it.each(names)('%s', async (name) => {
      const { handler, own, answer, below: path } = handlers[name];
      const { origin, close } = await open(handler);
      opened.push({ origin, close });
      const response = await fetch(origin + (at === 'own' ? own : at(path)));
      expect(response.status).toBe(200);
      expect(await response.text()).toContain(answer);
      if (hosts === undefined) return;
      const other = await fetch(origin + hosts);
      const text = await other.text();
      // Nest's own 404 is that of its host.
      expect(text.includes(host) || (other.status === 404 && text.includes('Cannot GET')), text).toBe(true);
    });
  },
);

it('the page about mounting has no mount that is not tried here', () => {
  const page = readFileSync(new URL('../../docs/guides/mounting.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('## Every mount');
  const rows = table
    .split('\n## ', 1)[0]!
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const told = rows.map((row) => row.split(' | '));
  expect(told.length).toBeGreaterThan(10);
  for (const [mount = '', handlersOf = ''] of told) {
    const code = mount.trim().slice(3, -1);
    const place = places.find((one) => one.code.replace(/^Nest: /, '') === code);
    expect(place, code).toBeDefined();
    expect(handlersOf.trim(), code).toBe(place!.for === undefined ? 'all' : place!.for.join(', '));
  }
});
