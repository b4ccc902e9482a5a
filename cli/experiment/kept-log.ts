import type { SourceFields } from '../../analysis/experiment/grid';
import { withSourceFields } from '../../analysis/experiment/set-fields';
import type { ScenarioEvent } from '../../analysis/scenario/scenario';
import { parseLogLine } from '../../analysis/simulation/log-line';
import { accept } from '../io/input';
import { InputFiles } from '../io/input-files';
import { eventLines, Progress } from '../simulate/lines';
import { memberOf, wholeLog } from '../simulate/sharding';
import { usersOf } from '../simulate/users';

interface UserEvents {
  readonly user: string;
  readonly events: readonly ScenarioEvent[];
}

/** How many events are kept in memory, in some 100 MB; a longer log is read again for each run. */
const MOST_KEPT = 100_000;

/** The log of an experiment, which every run of a thread reads. */
export class ExperimentLog {
  /** All users of the log; null if they are not read, or too many. */
  private kept: readonly UserEvents[] | null = null;
  /** The same with the fields of cells, whose runs come in turn. The last ones, with as many events as one log may have. */
  private readonly ofCells = new Map<SourceFields, readonly UserEvents[]>();

  constructor(private readonly file: string) {}

  /**
   * @param most how many users take part; null: all.
   * @param fields that all sources register.
   */
  async *users(most: number | null, fields: SourceFields): AsyncGenerator<UserEvents, void, undefined> {
    let count = 0;
    for await (const user of this.kept === null ? this.read(fields) : this.changed(this.kept, fields)) {
      if (count === most) return;
      count += 1;
      yield user;
    }
  }

  private changed(kept: readonly UserEvents[], fields: SourceFields): readonly UserEvents[] {
    const found = this.ofCells.get(fields);
    if (found !== undefined) return found;
    const events = kept.reduce((sum, user) => sum + user.events.length, 0);
    const [oldest] = this.ofCells.keys();
    if (oldest !== undefined && (this.ofCells.size + 1) * events > MOST_KEPT) this.ofCells.delete(oldest);
    const users = kept.map((user) => withFields(user, fields));
    this.ofCells.set(fields, users);
    return users;
  }

  private async *read(fields: SourceFields): AsyncGenerator<UserEvents, void, undefined> {
    const lines = eventLines(new InputFiles([this.file]), new Progress(), memberOf(wholeLog));
    const kept: UserEvents[] = [];
    let events = 0;
    for await (const { user, lines: own } of usersOf(lines, true)) {
      const read = { user, events: own.map(({ place, value }) => accept(place, parseLogLine(value)).event) };
      events += own.length;
      if (events <= MOST_KEPT) kept.push(read);
      yield withFields(read, fields);
    }
    if (events <= MOST_KEPT) this.kept = kept;
  }
}

const withFields = ({ user, events }: UserEvents, fields: SourceFields): UserEvents => ({
  user,
  events: events.map((event) => withSourceFields(event, fields)),
});
