import type { Json, JsonObject } from '../../src/model/json';
import { withField } from './fields-at';

/** Something that the cells of the grid vary. */
export interface Axis {
  /** `settings.budget.unit`, `source.event_level_epsilon`, `allocation`, … */
  readonly name: string;
  readonly values: readonly Json[];
}

/** Fields of registrations that an experiment sets, by the kind of source. */
export interface SourceFields {
  readonly navigation: ReadonlyMap<string, Json>;
  readonly event: ReadonlyMap<string, Json>;
}

/** One point of the grid, as given. */
export interface Cell {
  /** The value of each axis, in their order. */
  readonly values: readonly Json[];
  readonly settings: JsonObject;
  readonly source: SourceFields;
  readonly allocation: Json;
  readonly matching: Json;
  readonly api: Json;
  readonly cheating: Json;
}

const SECTIONS = ['settings', 'source', 'navigation_source', 'event_source'] as const;
const OPTIONS = ['allocation', 'matching', 'api', 'cheating'] as const;

type Option = (typeof OPTIONS)[number];
type Section = (typeof SECTIONS)[number] | Option;

const withoutOptions: Readonly<Record<Option, Json>> = {
  allocation: null,
  matching: null,
  api: null,
  cheating: null,
};

/** What an axis varies, and where in it; null when there is no such thing. */
export function gridSection(name: string): { readonly section: Section; readonly path: string } | null {
  const option = OPTIONS.find((known) => known === name);
  if (option !== undefined) return { section: option, path: '' };
  const section = SECTIONS.find((known) => name.startsWith(`${known}.`) && name.length > known.length + 1);
  return section === undefined ? null : { section, path: name.slice(section.length + 1) };
}

/** All combinations of the values of the axes; the last axis varies fastest. */
export function cellsOf(settings: JsonObject, grid: readonly Axis[]): readonly Cell[] {
  let combinations: readonly (readonly Json[])[] = [[]];
  for (const { values } of grid)
    combinations = combinations.flatMap((before) => values.map((value) => [...before, value]));
  return combinations.map((values) => {
    const navigation = new Map<string, Json>();
    const event = new Map<string, Json>();
    const cell = { settings, ...withoutOptions };
    grid.forEach(({ name }, index) => {
      const found = gridSection(name);
      const value = values[index] ?? null;
      if (found === null) return;
      const { section, path } = found;
      if (section === 'settings') cell.settings = withField(cell.settings, path, value);
      else if (section in withoutOptions) cell[section as Option] = value;
      else {
        if (section !== 'event_source') navigation.set(path, value);
        if (section !== 'navigation_source') event.set(path, value);
      }
    });
    return { ...cell, values, source: { navigation, event } };
  });
}
