import { logistic } from '../estimate/intervals/logistic';
import { seededRandomStreams } from '../random/sources';
import type { Cells } from '../simulation/cells';
import { columnsIn, type DataFeature, type DataMap } from './data-map';
import { bucketOf, isCategory } from './data-row';
import { RandomNumbers } from './random-numbers';

/** Of the log odds: what all features together add, in standard deviations. */
const SIGNAL = 1.5;
/** The log odds of a row whose features have no effect. */
const CONSTANT = -2.5;
/** More values of a column are not made up. */
const MOST_VALUES = 300;
/** How many rows a user, page or advertiser has in the mean. */
const ROWS_PER_UNIT = { user: 3, publisher: 200, advertiser: 200 } as const;
/** The delay of a conversion is exponential, with this mean in milliseconds. */
const MEAN_DELAY = 86_400_000;
const DAYS = 30;

/**
 * Rows of a log with the columns that a map reads, in order of time. Everything in them is made up: values of a column are the rarer the greater
 * their number, and conversions depend on all features except the time, and on nothing else.
 * @param rows how many.
 */
export function* madeUpRows(map: DataMap, rows: number, seed: string): Generator<Cells, void, undefined> {
  const streams = seededRandomStreams(seed);
  const random = new RandomNumbers(streams(1));
  const columns = columnsOf(map, rows, new RandomNumbers(streams(0)));
  const scale = SIGNAL / Math.sqrt(Math.max(1, columns.length));
  for (let row = 0; row < rows; row++) {
    const cells = new Map<string, string>();
    let effects = 0;
    for (const { name, cellOf, effectOf } of columns) {
      const value = cellOf(random);
      cells.set(name, value.cell);
      effects += effectOf(value.number);
    }
    addLabel(cells, map, (row * DAYS * 86_400_000) / rows, CONSTANT + scale * effects, random);
    yield (column) => cells.get(column) ?? '';
  }
}

interface Column {
  readonly name: string;
  readonly cellOf: (random: RandomNumbers) => { readonly cell: string; readonly number: number };
  readonly effectOf: (number: number) => number;
}

/** All columns but those of time and label. A unit has an effect only if it is a feature. */
function columnsOf(map: DataMap, rows: number, random: RandomNumbers): readonly Column[] {
  const features = new Map(map.features.map((feature) => [feature.column, feature]));
  const units = Object.entries(ROWS_PER_UNIT).flatMap(([unit, each]): (readonly [string, number])[] => {
    const column = map.units[unit as keyof typeof ROWS_PER_UNIT];
    return column === null ? [] : [[column, Math.max(2, Math.ceil(rows / each))]];
  });
  const counts = new Map(units);
  const { time, label } = map;
  const others = [time?.column, label.column, label.delay?.column, label.at?.column];
  return columnsIn(map)
    .filter((name) => !others.includes(name))
    .map((name) => columnOf(name, features.get(name), counts.get(name), random));
}

function columnOf(
  name: string,
  feature: DataFeature | undefined,
  units: number | undefined,
  random: RandomNumbers,
): Column {
  if (feature !== undefined && units === undefined && !isCategory(feature)) {
    const slope = random.normal();
    return {
      name,
      // Heavy tails, as counts and prices have them.
      cellOf: (drawing) => {
        const number = drawing.normal();
        return { cell: String(Math.round(100 * Math.exp(number)) / 100), number };
      },
      effectOf: (number) => slope * number,
    };
  }
  const values = feature?.values ?? [];
  const count = units ?? (values.length > 0 ? values.length : Math.min(MOST_VALUES, mostApart(feature)));
  const numbers =
    feature?.kind === 'hashed' && count <= mostApart(feature) ? numbersApart(feature, count) : null;
  const effects = Float64Array.from({ length: count }, () => (feature === undefined ? 0 : random.normal()));
  return {
    name,
    cellOf: (drawing) => {
      const number = Math.floor(drawing.uniform() ** 2 * count);
      return { cell: values[number] ?? String(numbers?.[number] ?? number), number };
    },
    effectOf: (number) => effects[number] ?? 0,
  };
}

/** How many values may easily have a bucket each. */
const mostApart = (feature: DataFeature | undefined): number =>
  feature?.kind === 'hashed' ? Math.max(2, Math.floor(feature.buckets / 2)) : (feature?.buckets ?? 2);

/** Numbers whose hashes share no bucket: a map may refuse those that do. */
function numbersApart(feature: DataFeature, count: number): Float64Array {
  const isTaken = new Uint8Array(feature.buckets);
  const numbers = new Float64Array(count);
  let found = 0;
  for (let number = 0; found < count; number++) {
    const bucket = bucketOf(feature, String(number));
    if (isTaken[bucket] === 1) continue;
    isTaken[bucket] = 1;
    numbers[found++] = number;
  }
  return numbers;
}

function addLabel(
  cells: Map<string, string>,
  { time, label }: DataMap,
  when: number,
  logOdds: number,
  random: RandomNumbers,
): void {
  if (time !== null) cells.set(time.column, String(when / time.unit));
  const converts = random.uniform() < logistic(logOdds);
  const worth = Math.round(Math.exp(2.5 + logOdds / 2 + random.normal())) + 1;
  const many = 1 + Math.floor(-Math.log(1 - random.uniform()));
  const after = -MEAN_DELAY * Math.log(1 - random.uniform());
  const some = { conversion: 1, number: many, value: worth }[label.kind];
  cells.set(label.column, converts ? String(some) : (label.none[0] ?? '0'));
  if (label.delay !== null) cells.set(label.delay.column, converts ? String(after / label.delay.unit) : '-1');
  if (label.at !== null) cells.set(label.at.column, converts ? String((when + after) / label.at.unit) : '-1');
}
