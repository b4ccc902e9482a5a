import { readSync } from 'node:fs';
import type { NumberedSource } from '../../analysis/estimate/join/numbered-sources';
import type { JoinedReport } from '../../analysis/estimate/join/join';
import { writeAll } from '../../node/files';
import { moment } from '../../src/model/units';
import { jsonBytes } from '../io/json-bytes';

/*
 * What the join of a part needs of the lines of a log, in blocks of a temporary file: 24 bytes of each source, and a short line of each report.
 */

/** Bytes of a file that are of one part. */
export interface Block {
  readonly part: number;
  readonly start: number;
  readonly length: number;
}

/** In bytes. A thread keeps one block of each part. */
const BLOCK = 24 << 11;
const RECORD = 24;

/** Writes blocks one after the other. */
export class BlockFile {
  private end = 0;

  constructor(private readonly descriptor: number) {}

  write(part: number, bytes: Uint8Array): Block {
    const block = { part, start: this.end, length: bytes.length };
    writeAll(this.descriptor, bytes, this.end);
    this.end += bytes.length;
    return block;
  }
}

/** Sources as numbers: the id, the time, the party and the group. */
class SourceBlock {
  private readonly bytes = new ArrayBuffer(BLOCK);
  private readonly ids = new BigUint64Array(this.bytes);
  private readonly times = new Float64Array(this.bytes);
  private readonly numbers = new Int32Array(this.bytes);
  private readonly octets = new Uint8Array(this.bytes);
  private count = 0;

  /** @returns whether the block is full */
  add({ sourceEventId, time, party, group }: NumberedSource): boolean {
    const at = this.count++;
    this.ids[3 * at] = sourceEventId;
    this.times[3 * at + 1] = time;
    this.numbers[6 * at + 4] = party;
    this.numbers[6 * at + 5] = group;
    return RECORD * this.count === BLOCK;
  }

  taken(): Uint8Array {
    const bytes = this.octets.subarray(0, RECORD * this.count);
    this.count = 0;
    return bytes;
  }

  *read(descriptor: number, { start, length }: Block): Generator<NumberedSource, void, undefined> {
    readAll(descriptor, this.octets.subarray(0, length), start);
    for (let at = 0; at < length / RECORD; at++)
      yield {
        sourceEventId: this.ids[3 * at] ?? 0n,
        time: moment(this.times[3 * at + 1] ?? NaN),
        party: this.numbers[6 * at + 4] ?? NaN,
        group: this.numbers[6 * at + 5] ?? NaN,
      };
  }
}

/** The sources of each part, in the order of the log. */
export class SourceBlocks {
  readonly blocks: Block[] = [];
  private readonly open: readonly SourceBlock[];

  constructor(
    private readonly file: BlockFile,
    parts: number,
  ) {
    this.open = Array.from({ length: parts }, () => new SourceBlock());
  }

  add(part: number, source: NumberedSource): void {
    const block = this.open[part];
    if (block?.add(source) === true) this.blocks.push(this.file.write(part, block.taken()));
  }

  finish(): void {
    for (const [part, block] of this.open.entries()) this.blocks.push(this.file.write(part, block.taken()));
  }
}

export function* sourcesIn(
  descriptor: number,
  blocks: readonly Block[],
): Generator<NumberedSource, void, undefined> {
  const read = new SourceBlock();
  for (const block of blocks) yield* read.read(descriptor, block);
}

/** The reports of each part, in the order of the log. */
export class ReportBlocks {
  readonly blocks: Block[] = [];
  private readonly open: string[];

  constructor(
    private readonly file: BlockFile,
    parts: number,
  ) {
    this.open = Array<string>(parts).fill('');
  }

  add(part: number, report: JoinedReport): void {
    const text = `${this.open[part] ?? ''}${textOf(report)}\n`;
    this.open[part] = text;
    if (text.length >= BLOCK) this.write(part);
  }

  finish(): void {
    for (const part of this.open.keys()) this.write(part);
  }

  private write(part: number): void {
    this.blocks.push(this.file.write(part, jsonBytes(this.open[part] ?? '')));
    this.open[part] = '';
  }
}

export function* reportsIn(
  descriptor: number,
  blocks: readonly Block[],
): Generator<JoinedReport, void, undefined> {
  for (const block of blocks) {
    const bytes = Buffer.allocUnsafe(block.length);
    readAll(descriptor, bytes, block.start);
    for (const line of bytes.toString().split('\n')) if (line !== '') yield reportOf(line);
  }
}

/** As a list, because names take most of the time. JSON has no 64-bit integers. */
const textOf = (report: JoinedReport): string =>
  JSON.stringify([
    report.reportingOrigin,
    report.destinations,
    report.sourceType,
    String(report.sourceEventId),
    report.reportId,
    report.triggerData === null ? null : String(report.triggerData),
    report.scheduledTime,
    report.receivedTime,
    report.summaryBucket,
    report.noisyValue,
    report.randomizedTriggerRate,
  ] satisfies Written);

type Written = readonly [
  reportingOrigin: string,
  destinations: readonly string[],
  sourceType: JoinedReport['sourceType'],
  sourceEventId: string,
  reportId: string,
  triggerData: string | null,
  scheduledTime: JoinedReport['scheduledTime'],
  receivedTime: JoinedReport['receivedTime'],
  summaryBucket: JoinedReport['summaryBucket'],
  noisyValue: number | null,
  randomizedTriggerRate: JoinedReport['randomizedTriggerRate'],
];

function reportOf(line: string): JoinedReport {
  const [reportingOrigin, destinations, sourceType, id, reportId, data, ...output] = JSON.parse(
    line,
  ) as Written;
  const [scheduledTime, receivedTime, summaryBucket, noisyValue, randomizedTriggerRate] = output;
  return {
    reportingOrigin,
    destinations,
    sourceType,
    sourceEventId: BigInt(id),
    reportId,
    triggerData: data === null ? null : BigInt(data),
    scheduledTime,
    receivedTime,
    summaryBucket,
    noisyValue,
    randomizedTriggerRate,
  };
}

function readAll(descriptor: number, bytes: Uint8Array, start: number): void {
  for (let filled = 0; filled < bytes.length;) {
    const read = readSync(descriptor, bytes, filled, bytes.length - filled, start + filled);
    if (read === 0) throw new Error('a temporary file became shorter');
    filled += read;
  }
}
