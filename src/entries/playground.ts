export { createPlayground, type PlaygroundOptions } from '../playground/create-playground.ts';
export type { ApiRequest, ApiResponse, Handler } from '../contracts/http.ts';
