import type { BindableSession, Session } from '../contracts/graph.ts';

/** Whether tensors can be bound to a session; only with the native runtime. */
export function isBindable(session: Session): session is BindableSession {
  return 'createBinding' in session;
}
