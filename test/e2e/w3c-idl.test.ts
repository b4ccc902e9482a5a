import { browsersOfRun, useWorld } from './helpers/world';

/*
 * What idlharness.js of the web platform tests checks of the interfaces of W3C Attribution: each is compared with an interface of the browser
 * that has the same kind of members.
 */

/** The names of an interface, and how one of the browser's is called that has them. */
const pairs = [
  // A read-only maplike.
  ['AttributionAggregationServices', 'RTCStatsReport', []],
  // An operation that returns a promise and takes one dictionary, and no constructor.
  [
    'Attribution',
    'Permissions',
    [
      ['saveImpression', 'query'],
      ['measureConversion', 'query'],
    ],
  ],
] as const;

const look = async (
  name: string,
  renamed: readonly (readonly [string, string])[],
  other: string,
): Promise<object> => {
  const made = Reflect.get(window, name) as (new () => object) & { readonly prototype: object };
  const outcome = async (act: () => unknown): Promise<string> => {
    let kind = 'throws';
    try {
      const returned = act();
      kind = returned instanceof Promise ? 'rejects' : 'returns';
      await returned;
      return 'succeeds';
    } catch (error) {
      return `${kind} ${(error as Error).name}`;
    }
  };
  const functionLook = async (of: unknown): Promise<unknown> =>
    typeof of === 'function'
      ? {
          name: of.name,
          length: of.length,
          hasPrototype: Object.hasOwn(of, 'prototype'),
          ofNothing: await outcome(() => Reflect.apply(of, {}, [{}])),
        }
      : typeof of;
  const memberLook = async (owner: object, key: string | symbol): Promise<object> => {
    const member: TypedPropertyDescriptor<unknown> = Object.getOwnPropertyDescriptor(owner, key) ?? {};
    const { value, get, set, ...rest } = member;
    return {
      ...rest,
      value: await functionLook(value),
      get: await functionLook(get),
      set: await functionLook(set),
    };
  };
  const members: Record<string, object> = {};
  const keys = Reflect.ownKeys(made.prototype).filter((key) => key !== 'constructor');
  for (const key of keys) members[String(key)] = await memberLook(made.prototype, key);
  const text = JSON.stringify({
    interface: {
      inWindow: { ...Object.getOwnPropertyDescriptor(window, name), value: null },
      name: made.name,
      length: made.length,
      prototype: { ...Object.getOwnPropertyDescriptor(made, 'prototype'), value: null },
      constructor: { ...Object.getOwnPropertyDescriptor(made.prototype, 'constructor'), value: null },
      isItself: made.prototype.constructor === made,
      called: await outcome(() => Reflect.apply(made, undefined, [])),
      constructed: await outcome(() => new made()),
      parent: Object.getPrototypeOf(made.prototype) === Object.prototype,
      tag: Reflect.get(made.prototype, Symbol.toStringTag) as string,
    },
    members: Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1))),
  });
  const named = text.replaceAll(`"${name}"`, `"${other}"`);
  const { interface: of, members: all } = JSON.parse(named) as {
    readonly interface: object;
    readonly members: Record<string, unknown>;
  };
  const wanted = renamed.length === 0 ? Object.keys(all) : ['Symbol(Symbol.toStringTag)'];
  const chosen = wanted.map((key) => [key, JSON.stringify(all[key])] as const);
  const asOther = renamed.map(
    ([ours, theirs]) => [ours, JSON.stringify(all[ours] ?? all[theirs]).replaceAll(theirs, ours)] as const,
  );
  return { of, members: Object.fromEntries([...chosen, ...asOther]) };
};

describe.each(browsersOfRun)('the interfaces of W3C Attribution (%s)', (name) => {
  const world = useWorld(name);

  test('have the form of the browser’s own', async () => {
    await world.extension.settings({ w3cAttribution: true });
    const page = await world.open('news', '');
    for (const [ours, native, renamed] of pairs)
      expect(await page.evaluate(look, ours, renamed, native)).toEqual(
        await page.evaluate(look, native, renamed, native),
      );
    const form = await page.evaluate(() => {
      const { attribution } = navigator as unknown as {
        readonly attribution: object & { readonly aggregationServices: Iterable<unknown> & object };
      };
      const prototype = Object.getPrototypeOf(attribution) as object;
      const member: TypedPropertyDescriptor<unknown> =
        Object.getOwnPropertyDescriptor(prototype, 'aggregationServices') ?? {};
      const { get, set, ...rest } = member;
      const ofNavigator: TypedPropertyDescriptor<unknown> =
        Object.getOwnPropertyDescriptor(Navigator.prototype, 'attribution') ?? {};
      const services = attribution.aggregationServices;
      return {
        members: Object.keys(prototype).sort(),
        services: {
          ...rest,
          name: get?.name,
          set: String(set),
          same: services === attribution.aggregationServices,
        },
        navigator: {
          enumerable: ofNavigator.enumerable,
          name: ofNavigator.get?.name,
          set: String(ofNavigator.set),
        },
        iterates: Reflect.get(services, Symbol.iterator) === Reflect.get(services, 'entries'),
        own: Reflect.ownKeys(attribution).length + Reflect.ownKeys(services).length,
      };
    });
    const readOnly = { enumerable: true, set: 'undefined' };
    expect(form).toEqual({
      members: ['aggregationServices', 'measureConversion', 'saveImpression'],
      services: { ...readOnly, configurable: true, name: 'get aggregationServices', same: true },
      navigator: { ...readOnly, name: 'get attribution' },
      iterates: true,
      own: 0,
    });
  });
});
