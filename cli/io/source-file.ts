import { parseSource } from '../../formats/registration/source';
import { isJsonObject, type Json } from '../../src/model/json';
import { chromiumLimits, type SourceType } from '../../src/model/limits';
import type { SourceRegistration } from '../../src/model/registration';
import { accept } from './input';

/**
 * The source registration in a file. It needs no destination, on which states do not depend.
 * @throws InputError
 */
export function sourceIn(file: string, json: Json, sourceType: SourceType): SourceRegistration {
  const document = isJsonObject(json) ? { destination: 'https://destination.example', ...json } : json;
  return accept(file, parseSource(document, sourceType, chromiumLimits));
}
