import { toFastify } from '../../dist/adapters/fastify.js';
import { conformance, conformanceElsewhere } from './conformance.ts';
import { onFastify } from './mounts.ts';

const at = (prefix: string) =>
  onFastify(prefix, prefix, (app, handler) => app.register(toFastify(handler), { prefix }));

conformance('fastify at /v1', at('/v1'));
conformanceElsewhere(
  'fastify at the root',
  onFastify('/v1', undefined, (app, handler) => app.register(toFastify(handler))),
);
conformanceElsewhere('fastify below a prefix', at('/api/v1'));
conformanceElsewhere(
  'fastify whose host parses every body',
  onFastify('/v1', '/v1', (app, handler) => {
    app.addContentTypeParser('application/json', { parseAs: 'string' }, async () => 'parsed by the host');
    app.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, async () => 'parsed by the host');
    app.addContentTypeParser('*', { parseAs: 'buffer' }, async () => 'parsed by the host');
    app.register(toFastify(handler), { prefix: '/v1' });
  }),
);
