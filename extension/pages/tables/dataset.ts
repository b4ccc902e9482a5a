import type { ChangesMessage } from '../../messages';
import type { Rows } from '../../../src/store/rows';
import type { Reader, ShownTable } from '../data/reader';
import { itemOf, type Item, type TableDefinition } from './table';

/** Rows per read: few enough that the page stays responsive. */
const CHUNK = 1500;
/** More rows than fit on a screen. */
const FIRST_ROWS = 150;
/** In ms: the shortest time between redraws while rows stream in or change. */
const QUIET = 250;

/**
 * The rows of one table in memory, reduced to what the pages show. Those with the highest ids are read first, to show something at once: the newest,
 * except of reports. After that, messages of the background keep it up to date.
 */
export class Dataset {
  readonly items = new Map<number, Item>();
  /** Grows with every change. */
  version = 0;
  total = 0;
  isComplete = false;
  private readonly listeners = new Set<() => void>();
  private telling: ReturnType<typeof setTimeout> | undefined;
  private applying: Promise<unknown> = Promise.resolve();
  private generation = 0;
  private readonly stopListening: () => void;

  constructor(
    private readonly reader: Reader,
    // oxlint-disable-next-line typescript/no-explicit-any -- each definition knows its own rows
    private readonly definition: TableDefinition<any>,
    private readonly truth: boolean,
    private readonly onProblem: (error: unknown) => void,
  ) {
    this.stopListening = reader.onChange((changes) => {
      this.applying = this.applying.then(() => this.apply(changes)).catch(onProblem);
    });
    this.reload();
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Stops reading and updating. */
  close(): void {
    this.stopListening();
    this.generation += 1;
    clearTimeout(this.telling);
  }

  private reload(): void {
    this.generation += 1;
    this.load(this.generation).catch(this.onProblem);
  }

  private async load(generation: number): Promise<void> {
    this.isComplete = false;
    if (this.items.size === 0) await this.readSome();
    const tables = await Promise.all(
      this.definition.from.map(async ({ table }) => ({ table, ids: await this.reader.ids(table) })),
    );
    if (generation !== this.generation) return;
    const known = new Set(tables.flatMap(({ ids }) => ids));
    for (const id of this.items.keys()) if (!known.has(id)) this.items.delete(id);
    this.total = known.size;
    for (const { table, ids } of tables) {
      for (let end = ids.length; end > 0; end -= CHUNK) {
        await this.read(table, ids[Math.max(0, end - CHUNK)] ?? 0, ids[end - 1] ?? 0);
        if (generation !== this.generation) return;
        this.changed();
      }
    }
    this.isComplete = true;
    this.tell();
  }

  private async readSome(): Promise<void> {
    for (const { table } of this.definition.from)
      this.keep(table, await this.reader.newest(table, FIRST_ROWS));
    this.tell();
  }

  private async read(table: ShownTable, first: number, last: number): Promise<void> {
    this.keep(table, await this.reader.range(table, first, last));
  }

  private keep(table: ShownTable, rows: readonly Rows[ShownTable][]): void {
    const project = this.definition.from.find((candidate) => candidate.table === table)?.project;
    for (const row of rows) {
      const projected: unknown = project?.(row, this.truth) ?? null;
      if (projected !== null) this.items.set(row.id, itemOf(this.definition, row.id, projected));
    }
  }

  private async apply(changes: ChangesMessage): Promise<void> {
    const ids = new Set<number>();
    for (const { table } of this.definition.from) {
      const changed = changes[table];
      if (changed === 'all') {
        this.reload();
        return;
      }
      for (const id of changed ?? []) ids.add(id);
    }
    if (ids.size === 0) return;
    for (const id of ids) {
      this.items.delete(id);
      for (const { table } of this.definition.from) await this.read(table, id, id);
    }
    this.total = this.isComplete ? this.items.size : this.total;
    this.changed();
  }

  private changed(): void {
    this.telling ??= setTimeout(() => this.tell(), QUIET);
  }

  private tell(): void {
    clearTimeout(this.telling);
    this.telling = undefined;
    this.version += 1;
    for (const listener of this.listeners) listener();
  }
}
