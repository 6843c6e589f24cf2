import type { Session } from '../contracts/graph.ts';
import type { OnnxModel } from '../core/onnx/model.ts';
import { writeOnnxModel } from '../core/onnx/messages.ts';
import { createOnnxSession } from './onnx.ts';

/** Opens a small graph for the duration of a callback. */
export async function withSession<T>(model: OnnxModel, use: (session: Session) => Promise<T>): Promise<T> {
  const session = await createOnnxSession(writeOnnxModel(model), { threads: 1 });
  try {
    return await use(session);
  } finally {
    await session.release();
  }
}
