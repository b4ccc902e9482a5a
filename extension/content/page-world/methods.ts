type Method = (this: never, ...args: never[]) => unknown;

/** Defines a method of `length` parameters that looks like one of the browser's own. */
export function defineMethod(owner: object, name: string, length: number, method: Method): void {
  Object.defineProperty(method, 'name', { value: name, configurable: true });
  Object.defineProperty(method, 'length', { value: length, configurable: true });
  Object.defineProperty(owner, name, { value: method, writable: true, enumerable: true, configurable: true });
}

/** Replaces the browser's method `name` by `wrap(native)`. */
export function replaceMethod<Name extends string, Native extends Method>(
  owner: Readonly<Record<Name, Native>>,
  name: Name,
  wrap: (native: Native) => Native,
): void {
  const native = owner[name];
  defineMethod(owner, name, native.length, wrap(native));
}
