import type { W3cAnswer } from '../../messages';
import { LONGEST_OPTIONS } from '../../content-messages';
import { answerEvent, callEvent, type AttributionCall } from '../attribution-events';
import { listen } from '../listen';
import { AGGREGATION_SERVICE, PROTOCOL } from '../../../w3c/service';
import { conversionMembers, dictionaryOf, impressionMembers, type Members } from './dictionary';
import { defineMember } from './methods';

// Saved now, because the page may replace these later.
const { parse, stringify } = JSON;
const { apply, ownKeys } = Reflect;
const { defineProperty, freeze, getOwnPropertyDescriptor } = Object;
const [NativeCustomEvent, NativeMap, NativeUint8Array] = [CustomEvent, Map, Uint8Array];
const errors = { RangeError, ReferenceError, TypeError };
const NativeException = DOMException;
const NativePromise = Promise;
const decode = atob;
// oxlint-disable-next-line typescript/unbound-method -- called by `apply`
const { dispatchEvent } = EventTarget.prototype;
// oxlint-disable-next-line typescript/unbound-method -- called by `apply`
const { charCodeAt } = String.prototype;

interface Pending {
  readonly resolve: (report: string | null) => void;
  readonly reject: (error: unknown) => void;
}

const pending = new NativeMap<number, Pending>();
let calls = 0;

/** Gives the page `navigator.attribution` (W3C Attribution, "API Usage"). It only passes calls on; the background decides. */
export function defineAttribution(): void {
  listen(document, answerEvent, (event) => answered((event as CustomEvent).detail));
  const services = newServices();
  const methods = {
    get aggregationServices(): object {
      if (this !== attribution) throw new errors.TypeError('Illegal invocation');
      return services;
    },
    saveImpression(options: unknown): Promise<object> {
      return ask(this, 'saveImpression', options, impressionMembers, () => ({}));
    },
    measureConversion(options: unknown): Promise<object> {
      return ask(this, 'measureConversion', options, conversionMembers, (report) => ({
        report: bytesOf(report ?? ''),
      }));
    },
  };
  const attribution = newInterface('Attribution', methods);
  async function ask(
    self: unknown,
    call: AttributionCall['call'],
    options: unknown,
    members: Members,
    result: (report: string | null) => object,
  ): Promise<object> {
    if (self !== attribution) throw new errors.TypeError('Illegal invocation');
    return result(await sent(call, stringify(dictionaryOf(options, members))));
  }
  const navigatorMembers = {
    get attribution(): object {
      if ((this as unknown) !== navigator) throw new errors.TypeError('Illegal invocation');
      return attribution;
    },
  };
  defineMember(Navigator.prototype, 'attribution', navigatorMembers);
}

function sent(call: AttributionCall['call'], json: string): Promise<string | null> {
  const options = json.length > LONGEST_OPTIONS ? null : json;
  calls += 1;
  const id = calls;
  return new NativePromise((resolve, reject) => {
    pending.set(id, { resolve, reject });
    const detail = stringify({ id, call, options } satisfies AttributionCall);
    apply(dispatchEvent, document, [new NativeCustomEvent(callEvent, { detail })]);
  });
}

function answered(detail: unknown): void {
  const { id, answer } = parse(String(detail)) as { readonly id: number; readonly answer: W3cAnswer };
  const call = pending.get(id);
  pending.delete(id);
  if (call === undefined) return;
  if ('report' in answer) call.resolve(answer.report);
  else call.reject(errorOf(answer.error, answer.message));
}

function errorOf(name: string, message: string): unknown {
  if (name === 'RangeError' || name === 'ReferenceError') return new errors[name](message);
  return new NativeException(message, name);
}

function bytesOf(report: string): Uint8Array {
  const binary = decode(report);
  const bytes = new NativeUint8Array(binary.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = apply(charCodeAt, binary, [index]);
  return bytes;
}

/** A read-only maplike. Its only service is the same for everybody, so it tells nobody apart. */
function newServices(): object {
  const map = new NativeMap([[AGGREGATION_SERVICE, freeze({ protocol: PROTOCOL })]]);
  const own = (self: unknown): typeof map => {
    if (self !== services) throw new errors.TypeError('Illegal invocation');
    return map;
  };
  const members = {
    get size(): number {
      return own(this).size;
    },
    has(url: unknown): boolean {
      return own(this).has(String(url));
    },
    get(url: unknown): object | undefined {
      return own(this).get(String(url));
    },
    keys(): Iterator<string> {
      return own(this).keys();
    },
    values(): Iterator<object> {
      return own(this).values();
    },
    entries(): Iterator<[string, object]> {
      return own(this).entries();
    },
    // A rest parameter does not count in `length`, as an optional one of Web IDL.
    forEach(callback: (value: object, key: string, map: object) => void, ...rest: [self?: unknown]): void {
      own(this).forEach((value, key) => {
        apply(callback, rest[0], [value, key, services]);
      });
    },
  };
  const services = newInterface('AttributionAggregationServices', members);
  const prototype = Object.getPrototypeOf(services) as { entries: unknown };
  defineProperty(prototype, Symbol.iterator, {
    value: prototype.entries,
    writable: true,
    enumerable: false,
    configurable: true,
  });
  return services;
}

/** The only object of an interface that pages cannot construct. */
function newInterface(name: string, members: object): object {
  const constructor = function (): never {
    throw new errors.TypeError('Illegal constructor');
  };
  defineProperty(constructor, 'name', { value: name, configurable: true });
  defineMember({}, name, { [name]: constructor });
  const { prototype } = constructor as unknown as { readonly prototype: object };
  for (const key of ownKeys(members)) defineMember(prototype, String(key), members);
  defineProperty(prototype, Symbol.toStringTag, { value: name, configurable: true });
  defineProperty(constructor, 'prototype', {
    ...getOwnPropertyDescriptor(constructor, 'prototype'),
    writable: false,
  });
  defineProperty(window, name, { value: constructor, writable: true, enumerable: false, configurable: true });
  return Object.create(prototype) as object;
}
