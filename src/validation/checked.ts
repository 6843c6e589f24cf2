/** Requests whose form is known to be right, since a schema has made them. */
const checked = new WeakSet<object>();

/** Marks a request that needs no second check of its form. */
export function markChecked<Request extends object>(request: Request): Request {
  checked.add(request);
  return request;
}

/** Whether a request's form has been checked. */
export function isChecked(request: unknown): boolean {
  return typeof request === 'object' && request !== null && checked.has(request);
}
