import { readFile } from 'node:fs/promises';
import type { ModelSpec } from '../../../contracts/model.ts';
import type { SessionBackend } from '../../../contracts/sessions.ts';
import { GraphIndex } from '../../../core/onnx/graph-index.ts';
import type { OnnxGraph } from '../../../core/onnx/model.ts';
import { readOnnxModel } from '../../../core/onnx/messages.ts';
import { WireWriter } from '../../../core/protobuf/writer.ts';
import { fieldError } from '../../../errors.ts';
import type { Session } from '../../../contracts/graph.ts';
import { withQuickGraph } from '../../../runtime/quick-graph.ts';
import type { SpeechSettings } from '../settings.ts';

export interface DurationTensors {
  /** Names of a durations output in common exports. */
  readonly outputs: ReadonlySet<string>;
  /** Rounds durations to whole frames, and optionally keeps them above 0. */
  readonly operators: readonly [rounding: string, limiting?: string];
}

/** Smaller outputs are read with the graph; larger tensors are skipped. */
const smallestSkipped = 1024;

/** With the setting `wordTimes`, durations that the graph computes internally become an output. */
export async function openSpeechGraph(
  graph: string,
  spec: ModelSpec<SpeechSettings>,
  { sessions, durations }: { sessions: SessionBackend; durations: DurationTensors },
): Promise<Session> {
  if (spec.wordTimes !== true) return sessions.openSession({ graph }, spec);
  if (!sessions.hasGraphs) throw fieldError('wordTimes', 'needs the graph on this disk');
  const quick = withQuickGraph(graph, spec);
  const bytes = quick.bytes ?? (await readFile(graph));
  const { graph: read } = readOnnxModel(bytes, { smallestMapped: smallestSkipped });
  if (read.outputs.some(({ name }) => durations.outputs.has(name)))
    return sessions.openSession({ graph }, spec);
  const tensor = findDurations(read, durations);
  if (tensor === undefined)
    throw fieldError('wordTimes', `expected a graph that computes durations, got ${graph}`);
  return sessions.openSession({ ...quick, bytes: Buffer.concat([bytes, exposing(tensor)]) }, spec);
}

/** A name that both architectures recognize. */
const exposed = 'durations';

/**
 * A `ModelProto` with only an `Identity` node from the tensor to an output. Concatenated protobuf messages merge, so appending it
 * to a model's bytes adds both. @see https://protobuf.dev/programming-guides/encoding/#last-one-wins
 */
function exposing(tensor: string): Uint8Array {
  return new WireWriter()
    .message(7, (graph) => {
      graph.message(1, (node) => {
        node.text(1, tensor).text(2, exposed).text(3, exposed).text(4, 'Identity');
      });
      graph.message(12, (output) => void output.text(1, exposed));
    })
    .finish();
}

/** The only tensor of the operators; if there are several, some round different values. */
function findDurations({ nodes, ...graph }: OnnxGraph, { operators }: DurationTensors): string | undefined {
  const [rounding, limiting] = operators;
  const index = new GraphIndex({ nodes, ...graph });
  const found = nodes
    .filter(({ operator }) => operator === rounding)
    .map(({ outputs: [rounded] }) => {
      if (limiting === undefined) return rounded;
      return index.consumers(rounded!).find(({ operator }) => operator === limiting)?.outputs[0];
    })
    .filter((tensor) => tensor !== undefined);
  return found.length === 1 ? found[0] : undefined;
}
