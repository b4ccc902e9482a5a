import { isJsonObject, type Json } from '../../../src/model/json';

/** Null when the header is not JSON. */
export function headerJson(header: string): Json {
  try {
    return JSON.parse(header) as Json;
  } catch {
    return null;
  }
}

/** Null-safe access to untrusted JSON. */
export const field = (json: Json | undefined, name: string): Json | undefined =>
  json !== undefined && isJsonObject(json) && Object.hasOwn(json, name) ? json[name] : undefined;

export const textOf = (json: Json | undefined): string | null =>
  json === undefined || json === null ? null : typeof json === 'object' ? JSON.stringify(json) : String(json);
