import { createContext } from 'preact';
import { useContext, useEffect, useReducer } from 'preact/hooks';
import type { Settings } from '../../../src/model/settings';
import type { Snapshot } from '../../../src/snapshot/snapshot';
import type { Overview } from '../../../src/messages';
import { Dataset } from '../data/dataset';
import type { Reader } from '../data/reader';
import type { TableDefinition } from '../data/table';

/** A short word at the edge of the page, perhaps with something to do. */
export interface Notice {
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => Promise<unknown> };
  /** In milliseconds. */
  readonly lasts: number;
}

/** What every view of the internals page works with. */
export interface Session {
  readonly reader: Reader;
  readonly overview: Overview;
  readonly settings: Settings;
  /** The file that is open, of which nothing can be changed; null for this device. */
  readonly snapshot: Snapshot | null;
  /** Opens a file, or goes back to this device. */
  readonly open: (snapshot: Snapshot | null) => void;
  /** Whether what randomized response protects may be shown: in debug mode, and in files that hold it. */
  readonly truth: boolean;
  /** Only what concerns this site, as in the developer tools; null for everything. */
  readonly site: string | null;
  readonly datasets: Datasets;
  /** Does what a person asked for, brings the page up to date, and says when it cannot be done. */
  readonly act: (action: () => Promise<unknown>) => void;
  readonly notify: (notice: Notice) => void;
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('there is no session around this view');
  return session;
}

/** The tables that were opened; each is read once. */
export class Datasets {
  private readonly byName = new Map<string, Dataset>();

  constructor(
    private readonly reader: Reader,
    private readonly onProblem: (error: unknown) => void,
  ) {}

  close(): void {
    for (const dataset of this.byName.values()) dataset.close();
    this.byName.clear();
  }

  get<Row>(definition: TableDefinition<Row>): Dataset {
    const known = this.byName.get(definition.name);
    if (known !== undefined) return known;
    const dataset = new Dataset(this.reader, definition, this.onProblem);
    this.byName.set(definition.name, dataset);
    return dataset;
  }
}

/** The rows of a table, drawn anew when they change. */
export function useDataset<Row>(definition: TableDefinition<Row>): Dataset {
  const dataset = useSession().datasets.get(definition);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    redraw(0);
    return dataset.subscribe(() => redraw(0));
  }, [dataset]);
  return dataset;
}
