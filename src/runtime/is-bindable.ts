import type { BindableSession, Session } from '../contracts/graph.ts';

/** Whether tensors can be bound to a session; those of the native runtime only. */
export function isBindable(session: Session): session is BindableSession {
  return 'createBinding' in session;
}
