import { english } from '../../words/english';
import { chromiumLimits, type SourceType } from '../../src/model/limits';
import type { Json, JsonObject } from '../../src/model/json';
import { parseHeader } from '../../formats/registration/header';
import type { Parsed } from '../../formats/codec/issues';
import { serializeSource, serializeTrigger } from '../../formats/registration/serialize';
import { parseTrigger } from '../../formats/registration/trigger';
import { validateSource } from '../../formats/registration/validate';
import type { DefineCommand } from '../io/define';
import { parseLogLine } from '../../analysis/simulation/log-line';
import { accept, InputError, readText } from '../io/input';
import { InputFiles } from '../io/input-files';
import { say } from '../io/terminal';
import { sourceTypeOption } from '../io/source-type-option';
import { eventLines, Progress, type EventLine } from '../simulate/lines';
import { toJson } from '../../formats/codec/plain-json';

interface ValidateOptions {
  readonly source?: boolean;
  readonly trigger?: boolean;
  readonly sourceType?: SourceType;
}

/**
 * `cointoss validate`: lists every mistake in a registration header, or in each of a log of events or of a HAR file, and shows its meaning with
 * every default filled in.
 */
export const define: DefineCommand = (command, { print, sayNo }) => {
  command
    .argument(
      '<file>',
      'the value of the header, or without --source and --trigger a log of events or a HAR file; - for standard input',
    )
    .option('--source', 'check it as Attribution-Reporting-Register-Source')
    .option('--trigger', 'check it as Attribution-Reporting-Register-Trigger')
    .addOption(sourceTypeOption().conflicts('trigger'))
    .action(async (file: string, options: ValidateOptions) => {
      const headers = options.source === options.trigger ? logged(file, options) : [ofHeader(file, options)];
      let allValid = true;
      for await (const { valid, result } of headers) {
        print(JSON.stringify(result));
        allValid &&= valid;
      }
      if (!allValid) sayNo();
    });
};

interface Validated {
  readonly valid: boolean;
  readonly result: JsonObject;
}

/** Each registration header of a log. */
async function* logged(file: string, { source, sourceType }: ValidateOptions): AsyncGenerator<Validated> {
  if (source === true) throw new InputError('validate: --source and --trigger: must not come together');
  if (sourceType !== undefined) throw new InputError('validate: --source-type: must come with --source');
  try {
    const read = eventLines(
      new InputFiles([file]),
      new Progress(),
      () => true,
      ({ lines, withoutPage }) => [...lines, ...withoutPage],
    );
    for await (const lines of read) for (const line of lines) yield* ofLine(line);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(`${error.message} (a header, which is no log, needs one of --source and --trigger)`);
  }
}

function* ofLine({ place, value }: EventLine): Generator<Validated> {
  const { event } = accept(place, parseLogLine(value));
  if (event.kind !== 'request') return;
  const kind = event.eligibility === 'navigation-source' ? 'navigation' : 'event';
  const kinds = [
    [SOURCE, { source: true, sourceType: kind }],
    [TRIGGER, { trigger: true }],
  ] as const;
  for (const { url, headers } of event.responses)
    for (const [name, options] of kinds) {
      const header = headers.get(name.toLowerCase());
      if (header === undefined) continue;
      const { valid, result } = resultOf(header, options);
      yield { valid, result: { place, url, header: name, ...result } };
    }
}

const SOURCE = 'Attribution-Reporting-Register-Source';
const TRIGGER = 'Attribution-Reporting-Register-Trigger';

function ofHeader(file: string, options: ValidateOptions): Validated {
  const header = readText(file);
  if (header.startsWith('\ufeff'))
    say(`${file}: begins with a byte order mark, with which no header may begin`);
  return resultOf(header, options);
}

function resultOf(header: string, options: ValidateOptions): Validated {
  const { value, errors, warnings } = validated(header, options);
  const result = {
    errors: errors.map((error) => toJson(english.worded(error))),
    warnings: warnings.map((warning) => toJson(english.worded(warning))),
    value,
  };
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
