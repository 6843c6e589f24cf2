import { inspect } from 'node:util';

type Hook = (...values: readonly unknown[]) => unknown;

type ParametersOf<Method> = Method extends (...values: infer Values) => unknown ? Values : never;

/** Observers with a reported failure. */
const faulty = new WeakSet<object>();

/** Calls observers. All their methods are optional; errors and rejections are printed once as a process warning and otherwise ignored. */
export class Observers<Observer extends object> {
  /** Replaced as a whole, since an observer may be removed during a call. */
  #observers: readonly Observer[] = [];

  constructor(observers: readonly Observer[] = []) {
    for (const observer of observers) this.add(observer);
  }

  /** True without observers, when nothing needs to be measured. */
  get isEmpty(): boolean {
    return this.#observers.length === 0;
  }

  /** True if an observer has one of these methods. */
  hears(names: readonly (keyof Observer)[]): boolean {
    for (const observer of this.#observers)
      for (const name of names) if (observer[name] !== undefined) return true;
    return false;
  }

  [Symbol.iterator](): Iterator<Observer> {
    return this.#observers[Symbol.iterator]();
  }

  /** @returns false if already added */
  add(observer: Observer): boolean {
    if (this.#observers.includes(observer)) return false;
    this.#observers = [...this.#observers, observer];
    return true;
  }

  remove(observer: Observer): void {
    this.#observers = this.#observers.filter((other) => other !== observer);
  }

  tell<Name extends keyof Observer & string>(name: Name, ...values: ParametersOf<Observer[Name]>): void {
    for (const observer of this.#observers)
      if (observer[name] !== undefined) this.tellOne(observer, name, ...values);
  }

  tellOne<Name extends keyof Observer & string>(
    observer: Observer,
    name: Name,
    ...values: ParametersOf<Observer[Name]>
  ): void {
    try {
      const method = observer[name] as Hook | undefined;
      const result = method?.apply(observer, values);
      if (result instanceof Promise) result.catch((error: unknown) => warn(observer, name, error));
    } catch (error) {
      warn(observer, name, error);
    }
  }
}

function warn(observer: object, name: string, error: unknown): void {
  if (faulty.has(observer)) return;
  faulty.add(observer);
  process.emitWarning(
    `An observer failed in ${name}; further failures are not reported: ${inspect(error)}`,
    'Slashv1Warning',
  );
}
