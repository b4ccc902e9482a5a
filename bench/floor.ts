import type { Registration } from '../src/model/incoming-registration';
import type { RandomSource } from '../src/privacy/random-source';

/** What is stored: a few numbers, where the engine stores much more. */
type Row = readonly number[];
type Table<Id> = Map<Id, Row>;

/**
 * What a registration needs at least, by hand: its header parsed, its sites told apart, one lookup in a bare Map for each document that it reads,
 * writes or deletes, and a random word. It decides nothing.
 */
export class Floor {
  private readonly sites = new Map<string, string>();
  private readonly rows = numbered();
  private readonly log = numbered();
  private readonly spends = numbered();
  private readonly uses = [named(), named(), named(), named(), named()] as const;
  private readonly candidates = new Map<string, number[]>();
  private lastId = 0;

  constructor(private readonly random: (stream: number) => RandomSource) {}

  register({ register, occasion, header }: Registration): bigint {
    const { contextOrigin, reportingOrigin } = occasion;
    const context = this.siteOf(contextOrigin);
    const reporting = this.siteOf(reportingOrigin);
    const json = JSON.parse(header) as { readonly destination?: string };
    const id = ++this.lastId;
    this.log.set(id, [id]);
    if (register.kind === 'source')
      this.source(id, contextOrigin, context, reporting, this.siteOf(json.destination ?? ''));
    else this.trigger(id, context, reporting);
    return this.random(id).uint64();
  }

  private source(id: number, origin: string, context: string, reporting: string, destination: string): void {
    const [originUse, siteUse, partyUse, pairUse, candidateUse] = this.uses;
    const key = `${reporting} ${destination}`;
    count(originUse, origin);
    count(siteUse, context);
    count(partyUse, `${context} ${reporting}`);
    count(pairUse, `${context} ${destination}`);
    count(candidateUse, key);
    this.rows.set(id, [id]);
    this.spends.set(id, [id]);
    const others = this.candidates.get(key);
    if (others === undefined) this.candidates.set(key, [id]);
    else others.push(id);
  }

  /** Attributes to the last source, and deletes the others. */
  private trigger(id: number, destination: string, reporting: string): void {
    const [originUse, siteUse, , pairUse, candidateUse] = this.uses;
    const key = `${reporting} ${destination}`;
    const others = this.candidates.get(key) ?? [];
    const last = others.pop() ?? 0;
    for (const other of others) {
      this.rows.delete(other);
      count(originUse, `origin ${other}`);
    }
    this.candidates.set(key, [last]);
    this.rows.set(last, [id]);
    this.rows.set(id, [id]);
    count(candidateUse, key);
    count(siteUse, destination);
    count(pairUse, key);
  }

  private siteOf(origin: string): string {
    const known = this.sites.get(origin);
    if (known !== undefined) return known;
    const site = new URL(origin).hostname;
    this.sites.set(origin, site);
    return site;
  }
}

const numbered = (): Table<number> => new Map();
const named = (): Table<string> => new Map();

function count(table: Table<string>, id: string): void {
  table.set(id, [(table.get(id)?.[0] ?? 0) + 1]);
}
