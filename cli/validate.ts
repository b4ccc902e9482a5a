import { chromiumLimits, type SourceType } from '../src/model/limits';
import { toJson, type Json } from '../src/model/json';
import { parseJsonHeader } from '../src/registration/header';
import type { Parsed } from '../src/parsing/issues';
import { serializeSource, serializeTrigger } from '../src/registration/serialize';
import { parseSource } from '../src/registration/source';
import { parseTrigger } from '../src/registration/trigger';
import { InputError, readText } from './input';

export interface ValidateCommandOptions {
  readonly source?: boolean;
  readonly trigger?: boolean;
  readonly sourceType?: SourceType;
}

/** `cointoss validate`: everything wrong with a registration header, and what it means with every default filled in. */
export function validateCommand(
  file: string,
  options: ValidateCommandOptions,
): { valid: boolean; result: Json } {
  if (options.source === options.trigger)
    throw new InputError('validate: needs one of --source and --trigger');
  const json = parseJsonHeader(readText(file));
  const { value, errors, warnings } =
    json.errors.length > 0 ? { ...json, warnings: [] } : parseAs(json.value, options);
  const result = toJson({ errors, warnings: [...json.warnings, ...warnings], value });
  return { valid: errors.length === 0, result };
}

/** The value is the registration as a header would state it with nothing left to defaults. */
function parseAs(
  document: Json,
  { source, sourceType = 'navigation' }: ValidateCommandOptions,
): Parsed<Json> {
  if (source === true) return map(parseSource(document, sourceType, chromiumLimits), serializeSource);
  return map(parseTrigger(document, chromiumLimits), serializeTrigger);
}

const map = <T>({ value, ...issues }: Parsed<T>, serialize: (value: T) => Json): Parsed<Json> => ({
  ...issues,
  value: value === null ? null : serialize(value),
});
