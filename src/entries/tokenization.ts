export { createDetokenizer, type Detokenizer } from '../core/text/detokenizer.ts';
export { createStopMatcher, type StopMatch, type StopMatcher } from '../core/text/stop-sequences.ts';
