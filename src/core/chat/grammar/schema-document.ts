import { isSchemaObject, quoted, schemaFault, type Schema } from './schema-keywords.ts';

/** That a value matches a schema, or that it doesn't. */
export interface Literal {
  readonly id: number;
  readonly schema: unknown;
  readonly negated: boolean;
  /** Path of the schema, for messages. */
  readonly path: string;
}

/** A schema with its references. */
export class SchemaDocument {
  readonly root: unknown;
  readonly #path: string;
  #ids = 0;
  readonly #literals = new Map<unknown, { positive?: Literal; negative?: Literal }>();
  /** Schemas with an `$id` of their own, by it. */
  readonly #resources = new Map<string, unknown>();
  readonly #anchors = new Map<string, unknown[]>();
  /** The resource that a schema belongs to, where it isn't the root. */
  readonly #owners = new Map<unknown, unknown>();

  constructor(root: unknown, path: string) {
    this.root = root;
    this.#path = path;
    this.#index(root, root);
  }

  literal(schema: unknown, path: string, { negated = false }: { readonly negated?: boolean } = {}): Literal {
    const isEmpty = isSchemaObject(schema) && Object.keys(schema).length === 0;
    const value = isEmpty ? true : schema;
    if (typeof value === 'boolean')
      return { id: value === negated ? -1 : 0, schema: value !== negated, negated: false, path };
    const known = this.#literals.get(value) ?? {};
    this.#literals.set(value, known);
    const sign = negated ? 'negative' : 'positive';
    return (known[sign] ??= { id: ++this.#ids, schema: value, negated, path });
  }

  /** The schema that a reference stands for, and where it stands. */
  resolve(
    reference: unknown,
    from: unknown,
    path: string,
  ): { readonly schema: unknown; readonly path: string } {
    if (typeof reference !== 'string') throw schemaFault(path, 'expected a reference such as "#/$defs/item"');
    const border = reference.indexOf('#');
    const uri = border < 0 ? reference : reference.slice(0, border);
    const fragment = border < 0 ? '' : reference.slice(border + 1);
    const bases = uri === '' ? [this.#owners.get(from) ?? this.root, this.root] : [this.#resource(uri, path)];
    for (const base of bases) {
      const schema = this.#inside(base, fragment);
      if (schema === undefined) continue;
      const isPlain = base === this.root && (fragment === '' || fragment.startsWith('/'));
      return {
        schema,
        path: isPlain ? `${this.#path}${fragment.replaceAll('/', '.')}` : `${path}(${quoted(reference)})`,
      };
    }
    throw schemaFault(path, `expected a reference to a part of the schema, got ${quoted(reference)}`);
  }

  #resource(uri: string, path: string): unknown {
    const name = uri.replace(/^\.?\//, '');
    const known =
      this.#resources.get(uri) ?? [...this.#resources].find(([id]) => id.endsWith(`/${name}`))?.[1];
    if (known === undefined)
      throw schemaFault(path, 'expected a reference within the schema, such as "#/$defs/item"');
    return known;
  }

  #inside(base: unknown, fragment: string): unknown {
    if (fragment === '') return base;
    if (!fragment.startsWith('/')) {
      const found = this.#anchors.get(fragment) ?? [];
      return found.find((schema) => (this.#owners.get(schema) ?? this.root) === base) ?? found[0];
    }
    let target: unknown = base;
    for (const token of fragment.split('/').slice(1)) {
      const key = decodePointer(token);
      if (typeof target !== 'object' || target === null || key === undefined || !Object.hasOwn(target, key)) {
        return undefined;
      }
      target = (target as Record<string, unknown>)[key];
    }
    return target;
  }

  #index(value: unknown, owner: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    let own = owner;
    if (isSchemaObject(value)) {
      const id = idOf(value);
      if (id !== undefined) {
        if (id.startsWith('#')) this.#anchor(id.slice(1), value);
        else {
          own = value;
          this.#resources.set(id.replace(/#$/, ''), value);
        }
      }
      for (const keyword of ['$anchor', '$dynamicAnchor']) {
        const anchor = value[keyword];
        if (typeof anchor === 'string') this.#anchor(anchor, value);
      }
    }
    if (own !== this.root) this.#owners.set(value, own);
    for (const key of Object.keys(value)) {
      if (key !== 'enum' && key !== 'const') this.#index((value as Record<string, unknown>)[key], own);
    }
  }

  #anchor(name: string, schema: unknown): void {
    this.#anchors.set(name, [...(this.#anchors.get(name) ?? []), schema]);
  }
}

function idOf(schema: Schema): string | undefined {
  const id = schema['$id'] ?? schema['id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function decodePointer(token: string): string | undefined {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}
