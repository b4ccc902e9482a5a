import type { Command } from 'commander';
import { stateReader, valueReader, type ReportedLabel } from '../../analysis/learn/reported-labels';
import { splitByTime } from '../../analysis/learn/examples';
import { parsedRegistration } from '../../collector/sources/configuration';
import { reportsValue } from '../../collector/sources/mechanism';
import type { StoredSource } from '../../collector/store/sources';
import { anySource } from '../../collector/store/source-filter';
import { trainingRows, type TrainingRow } from '../../collector/questions/training-rows';
import { compressionOf, compressor, type Compressor } from '../io/compression';
import { readExamples, type StoredExamples } from './examples-file';
import { InputError } from '../io/input';
import { InputFiles } from '../io/input-files';
import { jsonBytes } from '../io/json-bytes';
import { refuseRandomSplit, type LabelLine, type LastLine } from './labels-file';
import { readingProgress, showProgress } from '../io/progress';
import { refuseSameFile } from '../io/same-file';
import { openOutput, type Output } from '../io/output';
import { refuseTable } from '../io/table-name';
import { trainingFiles } from './training-files';
import { say } from '../io/terminal';

interface LabelOptions {
  readonly data: string;
  readonly sources: readonly string[];
  readonly reports: readonly string[];
  readonly output: string;
}

/** `cointoss learn labels`: takes the labels of examples from the reports of their sources. */
export const defineLabels = (command: Command): void => {
  command
    .description('take the labels of examples from reports, joined as in the collector')
    .requiredOption('--data <file>', 'the examples; the source_event_id of a source is the number of its row')
    .requiredOption('--sources <files...>', 'the log of the stored sources, from simulate')
    .requiredOption('--reports <files...>', "the reports, from simulate or a collector's /reports")
    .requiredOption(
      '--output <file>',
      'the labels, which an experiment names in its "reports"; .gz and .zst are compressed',
    )
    .action(makeLabels);
};

async function makeLabels({ data, sources, reports, output }: LabelOptions): Promise<void> {
  refuseSameFile(output, { 'the data': data, 'the sources': sources, 'the reports': reports });
  refuseTable(output);
  const stored = readExamples(data, false);
  refuseRandomSplit(stored.map, data);
  const { fields } = stored.examples;
  // Ordering rows would copy features that were not read.
  const bare = { ...stored.examples, fields: { ...fields, categories: [], numbers: [] } };
  const { training } = splitByTime(bare, stored.map.split);
  const until = training.times[training.count - 1] ?? 0;
  const [log, given] = [new InputFiles(sources), new InputFiles(reports)];
  const file = openOutput(output);
  const read = readingProgress([given, log]);
  const stopShowing = showProgress(() => `reports and sources${read()}`);
  try {
    const store = await trainingFiles(log, given, until);
    const last = await writeLabels(
      trainingRows(store, anySource, new Date(until)),
      new Labels(stored, data, sources.join(', '), until, (source) => store.placeOf(source)),
      file,
      await compressor(compressionOf(output)),
    );
    await file.finish();
    say(`${output}: ${last.labels} labels, ε ${last.epsilon}`);
  } finally {
    stopShowing();
    await file.close();
  }
}

const LINES_AT_A_TIME = 1000;

async function writeLabels(
  rows: AsyncIterable<TrainingRow>,
  labels: Labels,
  file: Output,
  compress: Compressor,
): Promise<LastLine> {
  let lines: string[] = [];
  const write = async (): Promise<void> => {
    await file.append(compress(jsonBytes(lines.join(''))));
    lines = [];
  };
  for await (const row of rows) {
    const line = labels.lineOf(row);
    if (line !== null) lines.push(`${JSON.stringify(line)}\n`);
    if (lines.length === LINES_AT_A_TIME) await write();
  }
  const last = labels.last();
  lines.push(`${JSON.stringify(last)}\n`);
  await write();
  return last;
}

class Labels {
  private readonly readers = new Map<string, (row: TrainingRow, label: string) => ReportedLabel>();
  private epsilon = 0;
  private labels = 0;

  constructor(
    private readonly stored: StoredExamples,
    private readonly data: string,
    private readonly sources: string,
    private readonly until: number,
    private readonly placeOf: (source: StoredSource) => string,
  ) {}

  /** Null: the source has no label to learn from. */
  lineOf(row: TrainingRow): LabelLine | null {
    const number = this.rowNumber(row);
    const { label } = row.label;
    if (row.source.time.getTime() > this.until || label === null) return null;
    this.labels += 1;
    this.epsilon = Math.max(this.epsilon, epsilonOf(row));
    const found = this.readerFor(row)(row, label);
    return { row: number, label: found.label, debiased: row.complete ? found.debiased : null };
  }

  /** @throws InputError if there are no labels to learn from. */
  last(): LastLine {
    if (this.epsilon === 0)
      throw new InputError(
        `${this.sources}: must have sources with ε above 0 in the training part of ${this.data}`,
      );
    return { kind: this.stored.map.label.kind, epsilon: this.epsilon, labels: this.labels };
  }

  private rowNumber({ source }: TrainingRow): number {
    const { count, times } = this.stored.examples;
    const place = this.placeOf(source);
    const number = Number(source.sourceEventId);
    if (!(number >= 1 && number <= count))
      throw new InputError(
        `${place}: source_event_id: must be the number of a row of ${this.data}, from 1 to ${count}, was ${number}`,
      );
    const time = Math.round(times[number - 1] ?? 0);
    if (time !== source.time.getTime())
      throw new InputError(
        `${place}: time: must be that of row ${number} of ${this.data} (${new Date(time).toISOString()}), was ${source.time.toISOString()}`,
      );
    return number;
  }

  private readerFor({ source, definition }: TrainingRow): (row: TrainingRow, label: string) => ReportedLabel {
    const known = this.readers.get(source.configuration);
    if (known !== undefined) return known;
    const { kind } = this.stored.map.label;
    const { mechanism } = definition;
    const read = reportsValue(mechanism)
      ? valueReader(kind, mechanism.kind === 'unbiased')
      : stateReader(kind, parsedRegistration(definition), Number(definition.k));
    if (read === null)
      throw new InputError(
        `${this.placeOf(source)}: mechanism: must give values, which the labels of ${this.data} are`,
      );
    const isUndone = mechanism.kind === 'rr';
    const reader = (row: TrainingRow, label: string): ReportedLabel =>
      read(label, isUndone ? row.weights : null);
    this.readers.set(source.configuration, reader);
    return reader;
  }
}

const epsilonOf = ({ definition }: TrainingRow): number =>
  Number(definition.registration['event_level_epsilon']);
