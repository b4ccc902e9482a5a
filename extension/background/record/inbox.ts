import type { Place } from '../../../recording/places';
import {
  DECLARATION_TIME,
  decidedBy,
  RESPONSE_TIME,
  undeclared,
  type Decided,
  type Declaration,
  type InboxRow,
  type ObservedResponse,
  type StoredRequest,
  type StoredResponse,
} from '../../../recording/requests';
import type { Moment } from '../../../src/model/units';
import type { InboxStore } from '../../store/inbox-store';
import { coversRow, type ErasingScope } from '../../erasing/erase-part';
import { Erasures } from '../state/erasures';
import { FairShare } from '../state/fair-share';
import { holdersOf, sizeOfRow } from './holders';
import { InboxIndex, isPlaced, type PlacedRow } from './inbox-index';
import { WriteBehind } from './write-behind';

/*
 * The responses that wait to be registered. Each is a row of one table, in one of four states:
 *
 *   header seen ──▶ arrived ──▶ placed ──▶ decided ──▶ registered ──▶ deleted
 *                  a          b          c           d
 *
 *   a  The browser tells of the page. If it has before, a row begins as `placed`.
 *   b  The request itself or its document says what it is eligible for, or nobody within ten seconds. If that is known, a row begins as `decided`.
 *   c  The site has its turn, and the engine registers the response or logs why it does not.
 *   d  The transaction of c is complete.
 *
 * From each of the first three a row may also be deleted: its site is paused or has no room, or everything is erased.
 *
 * From the header to the engine's tables it takes two transactions. The first puts the row, and waits for nothing: no transaction of the engine
 * has this table in its scope. The second registers the response, and notes the row's id in `meta`. So the next run of the background knows
 * which of the rows that it finds are registered, even if the log has lost the entry or a person erased it. If the second deleted the row
 * instead, new rows would wait for it. Rows are deleted together, a second later. What else changes in a row meanwhile is written then, too,
 * if the row is still there: the next run could find the same.
 *
 * Declarations are kept here as well, as long as responses to their requests may come. Each is written before it is answered.
 */

/** In bytes: the responses that may wait to be registered, and the declarations that may wait for their response. */
const ROOM_FOR_RESPONSES = 2e6;
const ROOM_FOR_DECLARATIONS = 2e6;

/** A response of which it is decided what it may register. */
export type DecidedRow = StoredResponse & { readonly decided: Decided };

export const isDecided = (row: StoredResponse): row is DecidedRow => row.decided !== null;

/** As it is decided if nothing declares it. */
const withoutDeclaration = (row: PlacedRow): DecidedRow => ({
  ...row,
  decided: { eligibility: 'unset', place: row.place },
});

export class Inbox {
  /** Shared with what is logged without a response. */
  readonly room = new FairShare(ROOM_FOR_RESPONSES);
  private readonly roomForDeclarations = new FairShare(ROOM_FOR_DECLARATIONS);
  /** Rows of earlier runs: what was accepted stays, whether or not there is room. */
  private readonly earlier = new Set<number>();
  /** By row: gives its room back. */
  private readonly rooms = new Map<number, () => void>();
  /** By id, in the order in which they came. The room bounds how many there can be. */
  private readonly rows = new Map<number, InboxRow>();
  private readonly index = new InboxIndex();
  private lastId = 0;

  private constructor(
    private readonly disk: WriteBehind,
    /** For what waits without a row. */
    readonly erasures: Erasures,
  ) {}

  /** With what earlier runs of the background left, but for what they have registered. */
  static async load(table: Pick<InboxStore, 'put' | 'read'>, erasures = new Erasures()): Promise<Inbox> {
    const inbox = new Inbox(new WriteBehind(table), erasures);
    const { rows, registered } = await table.read();
    for (const id of registered) inbox.lastId = Math.max(inbox.lastId, id);
    for (const row of rows) {
      inbox.lastId = Math.max(inbox.lastId, row.id);
      inbox.rows.set(row.id, row);
      inbox.index.add(row);
      inbox.earlier.add(row.id);
      inbox.hold(row);
      if (registered.has(row.id)) inbox.remove(row.id);
    }
    return inbox;
  }

  /** The responses, in the order in which they came. */
  get responses(): readonly StoredResponse[] {
    return [...this.rows.values()].filter((row) => 'response' in row);
  }

  /** False once the row is registered, dropped or erased. */
  has(id: number): boolean {
    return this.rows.has(id);
  }

  /**
   * Puts a response, and has it written at once.
   * @param place null if it is not known yet
   * @param known what was decided when the request was made, if it was
   * @returns null if there is no room for it
   */
  add(
    response: ObservedResponse,
    place: Place | null,
    known: Decided | null = null,
  ): { readonly row: StoredResponse; readonly written: Promise<void> } | null {
    const row = this.enter({ id: this.lastId + 1, response, place, decided: known });
    return row && { row, written: this.disk.now() };
  }

  /** The browser has told of the page of a row. @returns null if that has no room for it, and the row is dropped */
  place(id: number, place: Place): StoredResponse | null {
    const arrived = this.rows.get(id);
    if (arrived === undefined || !('response' in arrived)) return null;
    this.release(id);
    const row = this.enter({ ...arrived, place });
    if (row === null) this.remove(id);
    return row;
  }

  private enter(row: StoredResponse): StoredResponse | null {
    return this.hold(row) || this.earlier.has(row.id)
      ? this.put({ ...row, decided: this.decide(row) })
      : null;
  }

  /**
   * Keeps a declaration. `written` resolves when it is on the disk.
   * @returns the responses that it decides; null if there is no room for it
   */
  declare(
    declaration: Declaration,
  ): { readonly decided: readonly DecidedRow[]; readonly written: Promise<void> } | null {
    const { via } = declaration;
    const unclaimed = via === 'element' ? { ...declaration, requestId: null } : declaration;
    // Of two elements that ask for the same, each gets a request of its own.
    const requestId = unclaimed.requestId ?? this.index.waitingFor(unclaimed);
    const waiting = requestId === null ? [] : this.index.waitingOf(unclaimed, requestId);
    const request = { ...unclaimed, requestId } as StoredRequest['request'];
    // A document declares an element at every change, but it counts as one request.
    const repeated = via === 'element' ? this.index.unclaimedLike(declaration) : undefined;
    const row = { id: repeated?.id ?? this.lastId + 1, request };
    if (repeated === undefined && !this.hold(row)) return null;
    this.put(row);
    const decided = waiting.map((one) =>
      this.put({ ...one, decided: decidedBy(request, one.response, one.place) }),
    );
    return { decided, written: this.disk.flush() };
  }

  private decide({ response, place, decided }: StoredResponse): Decided | null {
    const { eligibility } = response;
    if (decided !== null || place === null) return decided;
    if (eligibility !== null) return { eligibility, place };
    const declared = this.index.declarationOf(response);
    if (declared === undefined) return undeclared(response, place);
    const { id, request } = declared;
    this.put({ id, request: { ...request, requestId: response.requestId } });
    return decidedBy(request, response, place);
  }

  /** The declarations whose request has no answer yet. */
  get unclaimed(): readonly StoredRequest['request'][] {
    return [...this.rows.values()].flatMap((row) =>
      'request' in row && row.request.requestId === null ? [row.request] : [],
    );
  }

  /** What waits for its declaration, as it is decided if there is none. */
  get undeclared(): readonly DecidedRow[] {
    return this.responses.filter(isPlaced).map(withoutDeclaration);
  }

  /** Decides what was not declared in time, and deletes declarations that no response can follow. */
  decideOverdue(now: Moment): void {
    // A time in the future means that the clock was set back.
    for (const row of [...this.rows.values()])
      if ('request' in row) {
        if (Math.abs(now - row.request.time) >= RESPONSE_TIME) this.remove(row.id);
      } else if (isPlaced(row) && (row.response.time <= now - DECLARATION_TIME || row.response.time > now))
        this.put(withoutDeclaration(row));
  }

  /** When `decideOverdue` has something to do; null if there is nothing that waits. */
  get nextOverdue(): number | null {
    let next = Infinity;
    this.rows.forEach((row) => {
      if ('request' in row) next = Math.min(next, row.request.time + RESPONSE_TIME);
      else if (isPlaced(row)) next = Math.min(next, row.response.time + DECLARATION_TIME);
    });
    return next === Infinity ? null : next;
  }

  private put<Row extends InboxRow>(row: Row): Row {
    this.lastId = Math.max(this.lastId, row.id);
    this.unindex(row.id);
    this.rows.set(row.id, row);
    this.index.add(row);
    this.disk.later(row.id, row);
    return row;
  }

  /** Deletes a row that is registered, or not wanted. */
  remove(id: number): void {
    this.release(id);
    this.unindex(id);
    this.rows.delete(id);
    this.earlier.delete(id);
    this.disk.later(id, null);
  }

  /** Erases a part of the rows and of what was asked for, or with null everything; here at once. Resolves when it is on the disk. */
  async erase(scope: ErasingScope | null): Promise<void> {
    this.erasures.add(scope);
    for (const [id, row] of this.rows) {
      const { time } = 'request' in row ? row.request : row.response;
      if (scope === null || coversRow(scope, row, time)) this.remove(id);
      // Its page may be erased, which the next run could not know. It is written again once its page is known.
      else if ('response' in row && row.place === null) this.disk.later(id, null);
    }
    await this.disk.flush();
  }

  private unindex(id: number): void {
    const row = this.rows.get(id);
    if (row !== undefined) this.index.remove(row);
  }

  private hold(row: InboxRow): boolean {
    const room = 'request' in row ? this.roomForDeclarations : this.room;
    const release = room.acquire(sizeOfRow(row), ...holdersOf(row));
    if (release !== null) this.rooms.set(row.id, release);
    return release !== null;
  }

  private release(id: number): void {
    this.rooms.get(id)?.();
    this.rooms.delete(id);
  }
}
