import { createContext } from 'preact';
import { useContext, useEffect, useReducer } from 'preact/hooks';
import type { Settings } from '../../../formats/settings/settings';
import type { OpenedFile } from '../data/snapshot/open-file';
import type { Snapshot } from '../data/snapshot/snapshot';
import type { Overview } from '../../messages';
import { Dataset } from '../tables/dataset';
import type { Reader } from '../data/reader';
import type { TableDefinition } from '../tables/table';

/** A short message at the edge of the page, with an optional action. */
export interface Notice {
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => Promise<unknown> };
  /** In milliseconds. */
  readonly lasts: number;
}

/** Shared by all views of the internals page. */
export interface Session {
  readonly reader: Reader;
  readonly overview: Overview;
  readonly settings: Settings;
  /** The open file, which is read-only; null for this device. */
  readonly snapshot: Snapshot | null;
  /** Opens a file, or with null goes back to this device. */
  readonly open: (file: OpenedFile | null) => void;
  /** Whether what randomized response protects may be shown: in debug mode, and in files that hold it. */
  readonly truth: boolean;
  /** The only site to show, as in the developer tools; null for all. */
  readonly site: string | null;
  /** The tab that the developer tools inspect; null elsewhere. */
  readonly tab: number | null;
  readonly datasets: Datasets;
  /** Runs what a person asked for, refreshes the page, and shows errors. */
  readonly act: (action: () => Promise<unknown>) => void;
  readonly notify: (notice: Notice) => void;
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('there is no session around this view');
  return session;
}

/** The tables that were opened. Each is read once. */
export class Datasets {
  private readonly byName = new Map<string, Dataset>();

  constructor(
    private readonly reader: Reader,
    private readonly truth: boolean,
    private readonly onProblem: (error: unknown) => void,
  ) {}

  close(): void {
    for (const dataset of this.byName.values()) dataset.close();
    this.byName.clear();
  }

  get<Row>(definition: TableDefinition<Row>): Dataset {
    const known = this.byName.get(definition.name);
    if (known !== undefined) return known;
    const dataset = new Dataset(this.reader, definition, this.truth, this.onProblem);
    this.byName.set(definition.name, dataset);
    return dataset;
  }
}

/** The rows of a table, redrawn when they change. */
export function useDataset<Row>(definition: TableDefinition<Row>): Dataset {
  const dataset = useSession().datasets.get(definition);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    redraw(0);
    return dataset.subscribe(() => redraw(0));
  }, [dataset]);
  return dataset;
}
