import { english } from '../words/english';
import { chromiumLimits, type SourceType } from '../src/model/limits';
import { toJson, type Json } from '../src/model/json';
import { parseJsonHeader } from '../src/registration/header';
import type { Parsed } from '../src/parsing/issues';
import { serializeSource, serializeTrigger } from '../src/registration/serialize';
import { parseSource } from '../src/registration/source';
import { parseTrigger } from '../src/registration/trigger';
import type { DefineCommand } from './define';
import { InputError, readText } from './input';
import { sourceTypeOption } from './source-type-option';

interface ValidateOptions {
  readonly source?: boolean;
  readonly trigger?: boolean;
  readonly sourceType?: SourceType;
}

/** `cointoss validate`: lists every mistake in a registration header, and shows its meaning with every default filled in. */
export const define: DefineCommand = (command, { print, sayNo }) => {
  command
    .argument('<file>', 'the value of the header, or - for standard input')
    .option('--source', 'check it as Attribution-Reporting-Register-Source')
    .option('--trigger', 'check it as Attribution-Reporting-Register-Trigger')
    .addOption(sourceTypeOption().conflicts('trigger'))
    .action((file: string, options: ValidateOptions) => {
      const { valid, result } = validateCommand(file, options);
      print(JSON.stringify(result));
      if (!valid) sayNo();
    });
};

function validateCommand(file: string, options: ValidateOptions): { valid: boolean; result: Json } {
  if (options.source === options.trigger)
    throw new InputError('validate: needs one of --source and --trigger');
  const json = parseJsonHeader(readText(file));
  const { value, errors, warnings } =
    json.errors.length > 0 ? { ...json, warnings: [] } : parseAs(json.value, options);
  const result = toJson({
    errors: errors.map(english.worded),
    warnings: [...json.warnings, ...warnings].map(english.worded),
    value,
  });
  return { valid: errors.length === 0, result };
}

/** The value is the registration with every default explicit. */
function parseAs(document: Json, { source, sourceType = 'navigation' }: ValidateOptions): Parsed<Json> {
  if (source === true) return map(parseSource(document, sourceType, chromiumLimits), serializeSource);
  return map(parseTrigger(document, chromiumLimits), serializeTrigger);
}

const map = <T>({ value, ...issues }: Parsed<T>, serialize: (value: T) => Json): Parsed<Json> => ({
  ...issues,
  value: value === null ? null : serialize(value),
});
