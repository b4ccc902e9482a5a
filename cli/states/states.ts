import { InvalidArgumentError, Option } from 'commander';
import { chromiumLimits, type SourceType } from '../../src/model/limits';
import type { Json } from '../../src/model/json';
import { MAX_UINT32, type SourceRegistration } from '../../src/model/registration';
import { epsilon, type Epsilon } from '../../src/model/units';
import { channelCapacity } from '../../src/privacy/channel-capacity';
import { randomizedTriggerRate } from '../../src/privacy/randomized-response';
import { integer, list } from '../../formats/codec/codec';
import { Fields } from '../../formats/codec/record';
import { parse, type Parsed } from '../../formats/codec/issues';
import { ReportSpace } from '../../src/states/report-space';
import {
  bucketRange,
  reportsOfState,
  shapeOf,
  stateOfReports,
  triggerDataOf,
} from '../../src/states/source-space';
import { beyondLimits } from '../../formats/registration/validate';
import type { DefineCommand } from '../io/define';
import { accept, InputError, readJson, warn } from '../io/input';
import { sourceIn } from '../io/source-file';
import { sourceTypeOption } from '../io/source-type-option';

interface StatesOptions {
  readonly sourceType: SourceType;
  readonly epsilon?: Epsilon;
  readonly decode?: string;
  readonly encode?: string;
}

/** `cointoss states FILE`: shows the size and noise of a source's report space, or one state of it. */
export const define: DefineCommand = (command, { print }) => {
  command
    .argument('<file>', 'a source registration (JSON), or - for standard input')
    .addOption(sourceTypeOption().makeOptionMandatory())
    .addOption(
      new Option('--epsilon <epsilon>', 'the ε to use instead of event_level_epsilon')
        .argParser(parseEpsilon)
        .conflicts(['decode', 'encode']),
    )
    .addOption(new Option('--decode <state>', 'print the reports of a state').conflicts('encode'))
    .option('--encode <file>', 'print the state of a list of reports')
    .action((file: string, options: StatesOptions) => print(JSON.stringify(statesCommand(file, options))));
};

function parseEpsilon(text: string): Epsilon {
  const value = text === '' ? NaN : Number(text);
  if (!(value >= 0 && value < Infinity))
    throw new InvalidArgumentError('must be a finite number of at least 0.');
  return epsilon(value);
}

function statesCommand(file: string, options: StatesOptions): Json {
  const source = sourceIn(file, readJson(file), options.sourceType);
  const space = new ReportSpace(shapeOf(source));
  if (options.decode !== undefined) return decode(source, space, options.decode);
  if (options.encode !== undefined) return { state: String(encode(source, space, options.encode)) };
  const epsilon = options.epsilon ?? source.eventLevelEpsilon;
  const asked = { ...source, eventLevelEpsilon: epsilon };
  for (const issue of beyondLimits(asked, options.sourceType, chromiumLimits)) warn(file, issue);
  return {
    states: String(space.states),
    randomized_trigger_rate: randomizedTriggerRate(space.states, epsilon),
    channel_capacity_bits: channelCapacity(space.states, epsilon),
    epsilon,
  };
}

function decode(source: SourceRegistration, space: ReportSpace, state: string): Json {
  if (!/^\d+$/.test(state)) throw new InputError(`--decode: must be a non-negative integer, was "${state}"`);
  try {
    return {
      state,
      reports: reportsOfState(source, space.decode(BigInt(state))).map((report) =>
        reportJson(source, report),
      ),
    };
  } catch (error) {
    throw new InputError(`--decode: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function reportJson(source: SourceRegistration, report: ReturnType<typeof reportsOfState>[number]): Json {
  const entry = triggerDataOf(source).find(({ triggerData }) => triggerData === report.triggerData);
  return {
    trigger_data: report.triggerData,
    report_window_index: report.windowIndex,
    ...(source.flexible && entry !== undefined
      ? { trigger_summary_bucket: bucketRange(entry.spec, report.bucket) }
      : {}),
  };
}

function encode(source: SourceRegistration, space: ReportSpace, file: string): bigint {
  const reports = accept(file, parseReports(readJson(file)));
  try {
    return space.encode(stateOfReports(source, reports));
  } catch (error) {
    throw new InputError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Accepts a list of reports, or the output of `--decode`. */
function parseReports(document: Json): Parsed<readonly { triggerData: number; windowIndex: number }[]> {
  const reports = list((place) => {
    const fields = new Fields(place);
    return {
      triggerData: fields.required('trigger_data', integer(0, MAX_UINT32), 0),
      windowIndex: fields.required('report_window_index', integer(0, 4), 0),
    };
  });
  return parse(document, (place) =>
    Array.isArray(place.value) ? reports(place) : new Fields(place).required('reports', reports, []),
  );
}
