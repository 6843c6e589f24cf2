import { assertAddresses } from '../access.ts';
import type { BackendDefinition } from '../../contracts/backend.ts';
import type { BackendDescriptor } from '../../contracts/model.ts';
import type { GraphServer } from './server.ts';

/** Runs the graphs of stateless models on Triton, KServe and the like. */
export const kserveDefinition: BackendDefinition = {
  kind: 'kserve',
  spelling: 'remote.kserve({…})',
  place: 'worker',
  foreignSettings: ['dtype', 'device', 'threads', 'warmUp'],
  runs: ({ isStateless }) => isStateless,
  refusal: ({ name }) =>
    name === 'speech'
      ? 'its graph runs on this machine only'
      : 'its whole cache would travel with every step; a server that runs whole models keeps it',
  assert: assertGraphServer,
  async open({ backend }) {
    assertGraphServer(backend!);
    const server = backend as GraphServer;
    const { endAtAbort, graphServers, kserveSessions } = await import('./sessions.ts');
    const servers = graphServers(server);
    await servers.start();
    return {
      sessions: kserveSessions(server, servers),
      wrap: (pipeline) => ({
        info: pipeline.info,
        concurrency: server.concurrency ?? pipeline.concurrency,
        run: endAtAbort(pipeline),
        upstreams: () => servers.status,
        async close() {
          servers.close();
          await pipeline.close();
        },
      }),
    };
  },
};

function assertGraphServer(descriptor: BackendDescriptor, path = 'backend'): void {
  assertAddresses(`${path}.`, 'url', descriptor as GraphServer);
}
