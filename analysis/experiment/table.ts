import type { Json, JsonObject } from '../../src/model/json';
import type { Experiment } from './experiment';
import { finiteOrNull } from './result';
import type { Row } from './summary';

/** A row as cells. The axes have columns of their names; values that are no numbers or texts are JSON. */
export const tableRow = ({ grid }: Experiment, row: Row): JsonObject => ({
  cell: row.cell,
  ...Object.fromEntries(grid.map(({ name }, index) => [name, cellOf(row.values[index] ?? null)])),
  measure: row.measure.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll('-', '_'),
  level: row.level,
  group: row.group === null ? null : row.group.join(' × '),
  quantity: row.quantity,
  what: row.what,
  value: row.value.mean,
  standard_error: finiteOrNull(row.value.error),
  difference: finiteOrNull(row.difference?.mean ?? NaN),
  difference_error: finiteOrNull(row.difference?.error ?? NaN),
  count: row.count,
});

const cellOf = (value: Json): Json =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
