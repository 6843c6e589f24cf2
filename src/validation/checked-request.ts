declare const brand: unique symbol;
const mark = Symbol('checked');

/** A request that a wire schema has validated. */
export type Checked<Request> = Request & { readonly [brand]: true };

export function markChecked<Request extends object>(request: Request): Checked<Request> {
  return Object.defineProperty(request, mark, { value: true }) as Checked<Request>;
}

export function isChecked<Request>(request: Request): request is Checked<Request> {
  return typeof request === 'object' && request !== null && Object.hasOwn(request, mark);
}
