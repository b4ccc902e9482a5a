import { greatest, least } from '../../numeric/extremes';
import { withoutDecimals } from '../../formats/csv/decimals';
import { isGap } from '../../formats/csv/gap';
import { CellError, dateIn, plainCell, spelled, type Cells } from '../simulation/cells';
import type { DataFeature, DataMap, LabelColumn, UnitName } from './data-map';
import type { Examples } from './examples';
import { HashCollisions } from './hash-collisions';

/** Labels other than 0, those of them that are known before their impression, and the first time of all rows, in ms since 1970. */
export interface TimesRead {
  readonly labelled: number;
  readonly early: number;
  readonly first: number;
}

/** For each listed feature, by its place among the categories: null if a cell was in its list, otherwise the first that was not. */
export type ListedCells = readonly (readonly [index: number, cell: string | null])[];

/** Is called for each hashed category, in the order of the map. */
type OnHashed = (bucket: number, fingerprint: number) => void;

/** Numbers the values of a column in the order in which they first come, from 0. */
export type Numbering = (column: string, value: string) => number;

const UNIT_NAMES: readonly UnitName[] = ['user', 'publisher', 'advertiser'];

/**
 * Reads rows of a log as examples whose features are not `prepared` yet: categories of a vocabulary have their number of appearance, and
 * numbers their value, NaN where it is missing.
 */
export class DataRows {
  private readonly categories: readonly DataFeature[];
  private readonly numbers: readonly DataFeature[];
  private readonly hashed: ReadonlyMap<DataFeature, HashedFeature>;
  private readonly hashedInOrder: readonly HashedFeature[];
  /** For each listed feature, the first cell that is not in its list; null once a cell is in it. */
  private readonly unlistedCells = new Map<DataFeature, string | null>();

  private readonly times = { labelled: 0, early: 0, first: Infinity };

  constructor(
    private readonly map: DataMap,
    private readonly numberOf: Numbering,
    onHashed: OnHashed = () => undefined,
  ) {
    this.categories = map.features.filter(isCategory);
    const hashed = map.features.filter(({ kind }) => kind === 'hashed');
    this.hashed = new Map(hashed.map((feature) => [feature, new HashedFeature(feature, onHashed)]));
    this.hashedInOrder = [...this.hashed.values()];
    this.numbers = map.features.filter((feature) => !isCategory(feature));
  }

  /** Why the rows read teach a model nothing, or something false; null: nothing is wrong, or none was read. */
  doubt(): string | null {
    const {
      map,
      times: { labelled, early, first },
    } = this;
    if (first === Infinity) return null;
    if (labelled === 0) return `column ${JSON.stringify(map.label.column)}: no row has a label other than 0`;
    if (map.time !== null && first > YEAR_2100)
      return `time: must have the unit of column ${JSON.stringify(map.time.column)}: all times are after 2100`;
    return early === labelled
      ? `label: all ${labelled} labels other than 0 are known before their impression; must have the units of the columns in time and label`
      : null;
  }

  /**
   * Writes an example into a row.
   * @param place the row's number in the log, from 0.
   * @throws CellError
   */
  read(cells: Cells, place: number, into: Examples, row: number): void {
    const { map } = this;
    const time = map.time === null ? place : timeOf(map.time, cells);
    const label = labelOf(map.label, cells);
    into.times[row] = time;
    into.labels[row] = label;
    const delay = label === 0 ? 0 : delayOf(map.label, cells, time);
    into.delays[row] = Math.max(0, delay);
    this.times.first = Math.min(this.times.first, time);
    if (label !== 0) this.times.labelled += 1;
    if (delay < 0) this.times.early += 1;
    for (const name of UNIT_NAMES) {
      const column = map.units[name];
      into.units[name][row] = column === null ? place : this.numberOf(column, unitIn(name, column, cells));
    }
    this.categories.forEach((feature, index) => {
      into.categories[row * this.categories.length + index] = this.bucketOf(feature, cells(feature.column));
    });
    this.numbers.forEach(({ column, kind }, index) => {
      const value = cells(column) === '' ? NaN : numberIn(column, cells);
      into.numbers[row * this.numbers.length + index] =
        kind === 'log' ? Math.sign(value) * Math.log1p(Math.abs(value)) : value;
    });
  }

  /** For each hashed feature, the share of rows that share their bucket with another value. */
  collisions(): readonly { readonly feature: DataFeature; readonly share: number }[] {
    return [...this.hashed].map(([feature, { collisions }]) => ({ feature, share: collisions.share() }));
  }

  /** The listed features of which no row has any of the values, and what one row has instead. */
  unlisted(): readonly { readonly feature: DataFeature; readonly cell: string }[] {
    return [...this.unlistedCells].flatMap(([feature, cell]) => (cell === null ? [] : [{ feature, cell }]));
  }

  /** What another reader found. */
  addTimes({ labelled, early, first }: TimesRead): void {
    this.times.labelled += labelled;
    this.times.early += early;
    this.times.first = Math.min(this.times.first, first);
  }

  /** For `addTimes` of another reader. */
  timesRead(): TimesRead {
    return this.times;
  }

  /** What another reader found: the cells of listed features. */
  addListed(cells: ListedCells): void {
    for (const [index, cell] of cells) {
      const feature = this.categories[index];
      if (feature === undefined) continue;
      if (cell === null || !this.unlistedCells.has(feature)) this.unlistedCells.set(feature, cell);
    }
  }

  /** For `addListed` of another reader. */
  listed(): ListedCells {
    return this.categories.flatMap((feature, index) => {
      const cell = this.unlistedCells.get(feature);
      return cell === undefined ? [] : [[index, cell] as const];
    });
  }

  /** As if this reader had read the hashed categories of a row: `onHashed` of another one, in the same order. */
  addHashed(index: number, bucket: number, fingerprint: number): void {
    this.hashedInOrder[index]?.collisions.add(bucket, fingerprint);
  }

  private bucketOf(feature: DataFeature, cell: string): number {
    const { column, kind } = feature;
    if (kind === 'listed') return this.placeOf(feature, cell) + 1;
    const value = withoutDecimals(cell);
    return this.hashed.get(feature)?.bucketOf(value) ?? this.numberOf(column, value);
  }

  private placeOf(feature: DataFeature, cell: string): number {
    const place = placeIn(feature.values, cell);
    if (place >= 0) this.unlistedCells.set(feature, null);
    else if (!this.unlistedCells.has(feature)) this.unlistedCells.set(feature, cell);
    return place;
  }
}

/** @throws CellError without one: rows of unknown people would be those of one person. */
function unitIn(name: UnitName, column: string, cells: Cells): string {
  const unit = plainCell(column, cells(column));
  if (isGap(unit)) throw new CellError(column, name === 'advertiser' ? 'an advertiser' : `a ${name}`, unit);
  return unit;
}

/** A list may itself have values such as `1.0`. */
const placeIn = (values: readonly string[], cell: string): number => {
  const place = values.indexOf(cell);
  return place >= 0 ? place : values.indexOf(spelled(cell));
};

/** The bucket of a value of a hashed column. */
export const bucketOf = ({ column, buckets }: DataFeature, value: string): number =>
  mixed(hashed(hashed(FNV_OFFSET, `${column}\n`), value)) % buckets;

/** Hashes the values of a column: that takes less time than to look up what the same value became before. */
class HashedFeature {
  readonly collisions: HashCollisions;
  private readonly begun: number;
  private readonly buckets: number;
  private readonly end: string;

  constructor(
    { column, buckets }: DataFeature,
    private readonly onHashed: OnHashed,
  ) {
    this.collisions = new HashCollisions(buckets);
    this.buckets = buckets;
    this.begun = hashed(FNV_OFFSET, `${column}\n`);
    this.end = `\n${column}`;
  }

  bucketOf(value: string): number {
    const bucket = mixed(hashed(this.begun, value)) % this.buckets;
    const fingerprint = mixed(hashed(hashed(FNV_OFFSET, value), this.end));
    this.collisions.add(bucket, fingerprint);
    this.onHashed(bucket, fingerprint);
    return bucket;
  }
}

export const isCategory = ({ kind }: DataFeature): boolean =>
  kind === 'hashed' || kind === 'vocabulary' || kind === 'listed';

function numberIn(column: string, cells: Cells): number {
  const cell = cells(column);
  const value = cell.trim() === '' ? NaN : Number(cell);
  if (Number.isFinite(value)) return value;
  throw new CellError(column, 'a number', cell);
}

function timeOf({ column, unit }: NonNullable<DataMap['time']>, cells: Cells): number {
  return dateIn(column, cells(column)) ?? numberIn(column, cells) * unit;
}

const YEAR_2100 = 4_102_444_800_000;

const expected = {
  conversion: '0 or 1',
  number: 'a whole number of at least 0',
  value: 'a number of at least 0',
} as const;

function labelOf({ kind, column, none, clip }: LabelColumn, cells: Cells): number {
  const cell = spelled(cells(column));
  if (none.includes(cells(column)) || none.includes(cell)) return 0;
  const value = cell.trim() === '' ? NaN : Number(cell);
  const isRight = kind === 'value' || (Number.isInteger(value) && (kind === 'number' || value <= 1));
  if (!isRight || !(value >= 0 && value < Infinity)) throw new CellError(column, expected[kind], cell);
  return Math.min(value, clip);
}

/** Negative if it is known before the impression. After the first of several conversions it is known that there was one, and after the last how many there were. */
function delayOf({ kind, delay, at }: LabelColumn, cells: Cells, time: number): number {
  const known = delay ?? at;
  if (known === null) return 0;
  const delays = cells(known.column)
    .split(',')
    .map((cell) =>
      at === null ? numberIn(known.column, () => cell) * known.unit : timeOf(at, () => cell) - time,
    );
  return kind === 'conversion' ? least(delays) : greatest(delays);
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** FNV-1a in 32 bits, of more text. */
function hashed(before: number, text: string): number {
  let hash = before;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  return hash;
}

/** The mixing at the end of MurmurHash3, because a remainder uses the low bits. */
function mixed(before: number): number {
  let hash = Math.imul(before ^ (before >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
