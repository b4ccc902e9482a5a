import { english } from '../../words/english';
import { chromiumLimits, type SourceType } from '../../src/model/limits';
import { type Json } from '../../src/model/json';
import { parseHeader } from '../../formats/registration/header';
import type { Parsed } from '../../formats/codec/issues';
import { serializeSource, serializeTrigger } from '../../formats/registration/serialize';
import { parseTrigger } from '../../formats/registration/trigger';
import { validateSource } from '../../formats/registration/validate';
import type { DefineCommand } from '../io/define';
import { InputError, readText } from '../io/input';
import { say } from '../io/terminal';
import { sourceTypeOption } from '../io/source-type-option';
import { toJson } from '../../formats/codec/plain-json';

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
  const header = readText(file);
  if (header.startsWith('\ufeff'))
    say(`${file}: begins with a byte order mark, with which no header may begin`);
  const { value, errors, warnings } = validated(header, options);
  const result = toJson({
    errors: errors.map(english.worded),
    warnings: warnings.map(english.worded),
    value,
  });
  return { valid: errors.length === 0, result };
}

/** The value is the registration with every default explicit. */
function validated(header: string, { source, sourceType = 'navigation' }: ValidateOptions): Parsed<Json> {
  if (source === true) return map(validateSource(header, sourceType, chromiumLimits), serializeSource);
  return map(
    parseHeader(header, (json) => parseTrigger(json, chromiumLimits)),
    serializeTrigger,
  );
}

const map = <T>({ value, ...issues }: Parsed<T>, serialize: (value: T) => Json): Parsed<Json> => ({
  ...issues,
  value: value === null || issues.errors.length > 0 ? null : serialize(value),
});
