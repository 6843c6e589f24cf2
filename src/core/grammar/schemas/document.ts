import { orElse } from '../../text/or-else.ts';
import { quoted, readSchemaMap, schemaFault } from './keywords.ts';
import { isSchemaObject, type Schema } from './json-types.ts';

/** The condition that a value matches a schema, or doesn't. */
export interface Literal {
  readonly id: number;
  readonly schema: unknown;
  readonly negated: boolean;
  /** Path of the schema, for messages. */
  readonly path: string;
}

/** A part of a document with a separate URI, the base of its relative references. */
interface Resource {
  readonly schema: unknown;
  readonly uri: string;
  readonly anchors: Map<string, unknown>;
  /** Anchors that resolve to the outermost resource that defines them; `''` is `$recursiveAnchor`. */
  readonly dynamicAnchors: Map<string, unknown>;
}

/** Base URI of a document without an absolute `$id`. */
const unnamed = 'schema:///';

export class SchemaDocument {
  readonly root: unknown;
  readonly #rootPath: string;
  #ids = 0;
  readonly #literals = new Map<unknown, { positive?: Literal; negative?: Literal }>();
  readonly #resources = new Map<string, Resource>();
  /** Names defined by several resources. */
  readonly #ambiguous = new Set<string>();
  /** The resource of each schema outside the root resource. */
  readonly #owners = new Map<unknown, Resource>();
  readonly #rootResource: Resource;

  constructor(root: unknown, rootPath: string) {
    this.root = root;
    this.#rootPath = rootPath;
    this.#rootResource = this.#add(this.root, unnamed);
    this.#index(this.root, this.#rootResource);
  }

  literal(schema: unknown, path: string, { negated = false }: { negated?: boolean } = {}): Literal {
    const isEmpty = isSchemaObject(schema) && Object.keys(schema).length === 0;
    const value = isEmpty ? true : schema;
    if (typeof value === 'boolean')
      return { id: value === negated ? -1 : 0, schema: value !== negated, negated: false, path };
    const known = this.#literals.get(value) ?? {};
    this.#literals.set(value, known);
    const sign = negated ? 'negative' : 'positive';
    return (known[sign] ??= { id: ++this.#ids, schema: value, negated, path });
  }

  /** The schemas in a keyword that maps names or patterns to schemas. */
  named(schema: Schema, keyword: string, path: string, negated = false): [string, Literal][] {
    const place = `${path}.${keyword}`;
    return Object.entries(readSchemaMap(schema[keyword], place)).map(([name, of]) => [
      name,
      this.literal(of, `${place}.${name}`, { negated }),
    ]);
  }

  /** The schema that a keyword's reference resolves to, and its path. */
  resolve(from: Schema, keyword: string, path: string): { readonly schema: unknown; readonly path: string } {
    const reference = from[keyword];
    if (typeof reference !== 'string') throw schemaFault(path, 'expected a reference such as "#/$defs/item"');
    const border = reference.indexOf('#');
    const uri = border < 0 ? reference : reference.slice(0, border);
    const fragment = border < 0 ? '' : reference.slice(border + 1);
    const own = this.#owners.get(from) ?? this.#rootResource;
    const bases = uri === '' ? [own, this.#rootResource] : [this.#resourceOf(uri, own, path)];
    for (const base of bases) {
      const schema = inside(base, fragment);
      if (schema === undefined) continue;
      const dynamic = keyword === '$ref' ? undefined : this.#dynamicSchema(base, fragment, path);
      if (dynamic) return { schema: dynamic, path: `${path}(${quoted(reference)})` };
      const isPlain = base === this.#rootResource && (fragment === '' || fragment.startsWith('/'));
      return {
        schema,
        path: isPlain ? `${this.#rootPath}${fragment.replaceAll('/', '.')}` : `${path}(${quoted(reference)})`,
      };
    }
    throw schemaFault(path, `expected a reference to a part of the schema, got ${quoted(reference)}`);
  }

  /**
   * The outermost schema with a dynamic anchor. Validation enters the root first, so the root's anchor wins; between
   * several different resources, the path of evaluation would decide.
   */
  #dynamicSchema(base: Resource, name: string, path: string): unknown {
    if (!base.dynamicAnchors.has(name)) return undefined;
    const outermost = this.#rootResource.dynamicAnchors.get(name);
    if (outermost !== undefined) return outermost;
    const all = [...this.#resources.values()].filter(({ dynamicAnchors }) => dynamicAnchors.has(name));
    if (all.length > 1)
      throw schemaFault(path, 'expected an anchor of the root, or one that only one part of the schema has');
    return base.dynamicAnchors.get(name);
  }

  #resourceOf(uri: string, { uri: base }: Resource, path: string): Resource {
    const exact = this.#resources.get(absolute(uri, base));
    if (exact && this.#ambiguous.has(exact.uri))
      throw schemaFault(path, 'expected an `$id` that one schema has');
    if (exact) return exact;
    // Documents are often moved without updating their `$id`.
    const name = `/${uri.replace(/^\.?\//, '')}`;
    const [similar, ...others] = [...this.#resources].filter(([known]) => known.endsWith(name));
    if (!similar || others.length > 0)
      throw schemaFault(path, 'expected a reference within the schema, such as "#/$defs/item"');
    return similar[1];
  }

  #add(schema: unknown, base: string): Resource {
    const id = (isSchemaObject(schema) ? this.#idOf(schema) : undefined) ?? '';
    const uri = absolute(id.startsWith('#') ? '' : id, base).replace(/#$/, '');
    const resource: Resource = { schema, uri, anchors: new Map(), dynamicAnchors: new Map() };
    if (this.#resources.has(uri)) this.#ambiguous.add(uri);
    else this.#resources.set(uri, resource);
    return resource;
  }

  /** Until draft 7, keywords next to a reference are ignored. */
  #idOf(schema: Schema): string | undefined {
    const id = schema['$id'] ?? schema['id'];
    const isReference = typeof schema['$ref'] === 'string' && isSchemaObject(this.root);
    if (isReference && /draft-0[3-7]/.test(String(this.root['$schema']))) return undefined;
    return typeof id === 'string' && id !== '' ? id : undefined;
  }

  #index(value: unknown, owner: Resource): void {
    if (typeof value !== 'object' || value === null) return;
    let own = owner;
    if (isSchemaObject(value)) {
      const id = this.#idOf(value);
      if (id?.startsWith('#')) own.anchors.set(id.slice(1), value);
      else if (id !== undefined && value !== owner.schema) own = this.#add(value, owner.uri);
      const { $anchor: anchor, $dynamicAnchor: dynamicAnchor } = value;
      for (const name of [anchor, dynamicAnchor]) if (typeof name === 'string') own.anchors.set(name, value);
      if (typeof dynamicAnchor === 'string') own.dynamicAnchors.set(dynamicAnchor, value);
      if (value['$recursiveAnchor'] === true) own.dynamicAnchors.set('', value);
    }
    if (own !== this.#rootResource) this.#owners.set(value, own);
    for (const key of Object.keys(value)) {
      if (key !== 'enum' && key !== 'const') this.#index((value as Record<string, unknown>)[key], own);
    }
  }
}

function inside({ schema, anchors }: Resource, fragment: string): unknown {
  if (fragment === '') return schema;
  if (!fragment.startsWith('/')) return anchors.get(fragment);
  let target: unknown = schema;
  for (const token of fragment.split('/').slice(1)) {
    const key = decodePointer(token);
    if (typeof target !== 'object' || target === null || key === undefined || !Object.hasOwn(target, key))
      return undefined;
    target = (target as Record<string, unknown>)[key];
  }
  return target;
}

function absolute(uri: string, base: string): string {
  return orElse(() => new URL(uri, base).href, uri);
}

function decodePointer(token: string): string | undefined {
  return orElse(() => decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~'), undefined);
}
