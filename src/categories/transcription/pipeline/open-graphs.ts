import { join } from 'node:path';
import type { ModelSpec } from '../../../contracts/model.ts';
import type { SessionBackend } from '../../../contracts/sessions.ts';
import { localFiles } from '../../../folder/graph-files.ts';
import type { ModelFiles } from '../../../contracts/files.ts';
import { sourceError } from '../../../folder/model-files.ts';
import { locateModel } from '../../../folder/source.ts';
import type { Session } from '../../../contracts/graph.ts';
import { releaseOnFailure } from '../../../concurrency/release-on-failure.ts';

export interface OpenGraphs {
  /** In the order of its files. */
  readonly sessions: readonly Session[];
  release(): Promise<void>;
}

export interface WantedGraphs {
  readonly files: ModelFiles;
  readonly names?: readonly (readonly string[])[];
  /** Source of the graphs, for errors. */
  readonly origin?: string;
}

/** A failure releases the open graphs. */
export async function openGraphs<T>(
  spec: ModelSpec,
  { openSession }: SessionBackend,
  { files, names = [], origin = 'this kind of model' }: WantedGraphs,
  use: (graphs: OpenGraphs) => T,
): Promise<T> {
  const path = locateModel(spec.source);
  const sessions: Session[] = [];
  const release = async (): Promise<void> => {
    await Promise.all(sessions.map((session) => session.release()));
  };
  return releaseOnFailure(async (own) => {
    for (const [index, graph] of files.graphs(localFiles(path), spec.dtype).entries()) {
      const session = own(await openSession({ graph: join(path, graph) }, spec));
      sessions.push(session);
      const there = [...session.inputs, ...session.outputs].map(({ name }) => name);
      const missing = names[index]?.find((name) => !there.includes(name));
      if (missing === undefined) continue;
      const reason = `${graph} is not a graph of ${origin}: expected ${missing} among its inputs and outputs, got ${there.join(', ')}`;
      throw sourceError(reason);
    }
    return use({ sessions, release });
  });
}
