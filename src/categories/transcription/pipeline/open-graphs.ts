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

/** The facts about graphs that are known before they are opened. */
export interface WantedGraphs {
  readonly files: ModelFiles;
  readonly names?: readonly (readonly string[])[];
  /** Where such graphs come from, for errors. */
  readonly origin?: string;
}

/**
 * Opens the graphs of a model one by one, and makes of them what is needed. Where something fails, those that are open are
 * released.
 */
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
