import { isJsonObject, type Json } from '../../src/model/json';
import { mistake, type Issue } from '../codec/mistakes';
import type { Parsed } from '../codec/issues';

/** Numbers from here on are written with an exponent (ECMAScript, Number::toString). */
const EXPONENTIAL = 1e21;

class Refused extends Error {
  constructor(readonly issue: Issue) {
    super();
  }
}

/**
 * The canonical text of a JSON value (RFC 8785, "JSON Canonicalization Scheme"). Refuses values without one (RFC 7493, "I-JSON"):
 * unpaired surrogates, and whole numbers beyond 2^53 − 1, which another reader may take for another number.
 */
export function canonicalJson(document: Json): Parsed<string> {
  try {
    return { value: written(document, ''), errors: [], warnings: [] };
  } catch (error) {
    if (error instanceof Refused) return { value: null, errors: [error.issue], warnings: [] };
    throw error;
  }
}

function written(value: Json, path: string): string {
  if (typeof value === 'string') return text(value, path);
  if (typeof value === 'number') return number(value, path);
  if (Array.isArray(value))
    return `[${(value as readonly Json[]).map((item, index) => written(item, `${path}[${index}]`)).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  // `sort` compares UTF-16 code units, as the RFC demands.
  const fields = Object.keys(value)
    .sort()
    .map((name) => {
      const place = path === '' ? name : `${path}.${name}`;
      return `${text(name, place)}:${written(value[name] ?? null, place)}`;
    });
  return `{${fields.join(',')}}`;
}

function text(value: string, path: string): string {
  // With the flag u, a surrogate matches only if it is not half of a pair.
  if (/\p{Surrogate}/u.test(value)) throw new Refused({ ...mistake('half-character'), path });
  return JSON.stringify(value);
}

function number(value: number, path: string): string {
  const isExact = !Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= EXPONENTIAL;
  if (!Number.isFinite(value) || !isExact)
    throw new Refused({ ...mistake('inexact-number', { was: String(value) }), path });
  // ECMAScript's form is the RFC's; -0 is 0.
  return JSON.stringify(value);
}
