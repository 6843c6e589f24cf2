import { InferenceError } from '../errors.ts';
import type { ServedRoute as Route } from './routes.ts';

export interface RouteMatch {
  readonly route: Route;
  /** Values of the placeholders, decoded. */
  readonly pathParameters: () => Readonly<Record<string, string>>;
}

/** The path exists, for other methods. */
export interface WrongMethod {
  readonly allow: string;
}

/** Finds the route of a path; `null` where there is none. */
export type Router = (method: string, path: string) => RouteMatch | WrongMethod | null;

/**
 * Makes the function that finds the route of a path. Where several templates match, the first counts.
 */
export function createRouter(routes: readonly Route[]): Router {
  const templates = new Map<string, CompiledTemplate>();
  for (const route of routes) {
    const template = templates.get(route.path) ?? { matches: matcher(route.path), routes: [] };
    template.routes.push(route);
    templates.set(route.path, template);
  }
  const compiled = [...templates.values()];
  return (method, path) => {
    for (const template of compiled) {
      const placeholders = template.matches(path);
      if (placeholders === null) continue;
      const route = template.routes.find((candidate) => answers(candidate, method));
      if (route === undefined) return { allow: template.routes.flatMap(methodsOf).join(', ') };
      return { route, pathParameters: () => decodeAll(placeholders) };
    }
    return null;
  };
}

type Placeholders = Readonly<Record<string, string>>;

interface CompiledTemplate {
  readonly matches: (path: string) => Placeholders | null;
  readonly routes: Route[];
}

function matcher(template: string): CompiledTemplate['matches'] {
  if (!template.includes('{')) return (path) => (path === template ? {} : null);
  const pattern = new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, '(?<$1>.+)')}$`);
  return (path) => pattern.exec(path)?.groups ?? null;
}

function methodsOf(route: Route): string[] {
  return route.method === 'GET' ? ['GET', 'HEAD'] : [route.method];
}

function answers(route: Route, method: string): boolean {
  return methodsOf(route).includes(method);
}

function decodeAll(placeholders: Placeholders): Placeholders {
  return Object.fromEntries(Object.entries(placeholders).map(([name, text]) => [name, decode(text)]));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw new InferenceError('invalid_request', 'The path is not valid percent-encoding.', { cause: error });
  }
}
