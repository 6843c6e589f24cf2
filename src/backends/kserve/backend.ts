import { assertAddresses } from '../assert-address.ts';
import type { BackendDefinition, BackendDescriptor } from '../contract.ts';
import { graphServerSettings, type GraphServer } from './server.ts';

/** Runs the graphs of models that keep nothing from one run to the next on Triton, KServe and their like. */
export const kserveDefinition: BackendDefinition = {
  kind: 'kserve',
  spelling: 'remote.kserve({…})',
  settings: graphServerSettings,
  place: 'worker',
  foreignSettings: ['dtype', 'device', 'threads'],
  runs: ({ isStateless }) => isStateless,
  assert: assertGraphServer,
  async open({ backend }) {
    assertGraphServer(backend!);
    const [{ kserveSessions }, { endAtAbort }] = await Promise.all([
      import('./sessions.ts'),
      import('./end-at-abort.ts'),
    ]);
    return { sessions: kserveSessions(backend as GraphServer), wrap: endAtAbort };
  },
};

function assertGraphServer(descriptor: BackendDescriptor, path = 'backend'): void {
  assertAddresses(`${path}.`, 'url', descriptor as GraphServer);
}
