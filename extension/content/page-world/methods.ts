/* oxlint-disable typescript/unbound-method -- methods are called by `apply` */

type Method = (this: never, ...args: never[]) => unknown;
type Member = TypedPropertyDescriptor<Method>;

const descriptorOf = (owner: object, name: string): Member | undefined =>
  Object.getOwnPropertyDescriptor(owner, name);

// Saved now, because the page may replace these later.
const { apply } = Reflect;
const { toString } = Function.prototype;

/** Members of the browser's own, one of each kind, whose source text is imitated. */
const examples = { value: 'matches', get: 'id', set: 'id' } as const;

/** The source text that `toString` gives of the functions here. */
const texts = new WeakMap<object, string>();
const textIn = texts.get.bind(texts);

/** Replaces the browser's method `name` by `wrap(native)`. */
export function replaceMethod<Name extends string, Native extends Method>(
  owner: Readonly<Record<Name, Native>>,
  name: Name,
  wrap: (native: Native) => Native,
): void {
  defineMember(owner, name, { [name]: wrap(owner[name]) });
}

/**
 * Gives `owner` the method or accessor `name` of `members`, so that it looks like one of the browser's own. If the browser has none to
 * imitate, `members` must be an object literal, whose methods are no constructors.
 */
export function defineMember(owner: object, name: string, members: object): void {
  const ours = descriptorOf(members, name);
  const native = descriptorOf(owner, name);
  const member: Member = { enumerable: true, configurable: true, ...native };
  for (const kind of ['value', 'get', 'set'] as const) {
    const method: Method | undefined = ours?.[kind];
    if (method === undefined) continue;
    const replaced: Method | undefined = native?.[kind];
    const shown = replaced === undefined ? method : imitation(replaced, method);
    texts.set(shown, replaced === undefined ? addedText(kind, name) : apply(toString, replaced, []));
    Object.assign(member, { [kind]: shown }, kind === 'value' ? { writable: true } : {});
  }
  Object.defineProperty(owner, name, member);
}

/** All that a page reads of a proxy is its target's, except for the source text. */
const imitation = (native: Method, method: Method): Method =>
  new Proxy(native, { apply: (_, self, args) => apply(method, self, args) as unknown });

function addedText(kind: keyof typeof examples, name: string): string {
  const example = descriptorOf(Element.prototype, examples[kind])?.[kind] as Method;
  return apply(toString, example, []).replace(examples[kind], name);
}

/** Hides the source text of the functions here, and of what hides it. */
export function hideSourceText(): void {
  replaceMethod(
    Function.prototype,
    'toString',
    () =>
      function (this: object) {
        return textIn(this) ?? apply(toString, this, []);
      },
  );
}

/** Replaces the browser's getter or setter of `name` by `wrap(native)`. */
export function replaceAccessor(
  owner: object,
  name: string,
  kind: 'get' | 'set',
  wrap: (native: Method) => Method,
): void {
  const native = descriptorOf(owner, name)?.[kind] as Method | undefined;
  if (native !== undefined)
    defineMember(owner, name, Object.defineProperty({}, name, { [kind]: wrap(native) }));
}

/** Replaces a class of the browser's by one whose objects `construct` makes. */
export function replaceClass<Class extends new (...args: never[]) => object>(
  name: string,
  native: Class,
  construct: (args: ConstructorParameters<Class>, made: NewableFunction) => object,
): void {
  const shown = new Proxy(native, {
    construct: (_, args, made) => construct(args as ConstructorParameters<Class>, made),
  });
  texts.set(shown, apply(toString, native, []));
  for (const [owner, key] of [
    [window, name],
    [native.prototype, 'constructor'],
  ] as const)
    Object.defineProperty(owner, key, {
      value: shown,
      writable: true,
      enumerable: false,
      configurable: true,
    });
}
