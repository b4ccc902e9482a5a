import type { Registration } from '../../../src/model/incoming-registration';
import type { Limits } from '../../../src/model/limits';
import type { NoiseMode } from '../../../src/work';
import { parseJsonHeader } from '../../../formats/registration/header';
import { parseSource } from '../../../formats/registration/source';
import { ReportSpace } from '../../../src/states/report-space';
import { shapeOf } from '../../../src/states/source-space';
import { t } from '../../i18n';
import type { IdbStore } from '../../store/idb-store';

/** The state that a person chose for the next source, in debug mode. Stored, so it survives a restart. */
export class ForcedState {
  /**
   * The null reports of the next trigger, by how many days before it their sources are said to be; null: left to chance. In memory only,
   * because a replay sets it just before its trigger.
   */
  nullReportDays: readonly number[] | null = null;

  private constructor(
    private readonly store: IdbStore,
    private state: bigint | null,
  ) {}

  static async load(store: IdbStore): Promise<ForcedState> {
    const saved = await store.getMeta('forcedState');
    return new ForcedState(store, typeof saved === 'bigint' ? saved : null);
  }

  get current(): bigint | null {
    return this.state;
  }

  /** Whether a registration may use something up that the next one must not find. */
  get isSet(): boolean {
    return this.state !== null || this.nullReportDays !== null;
  }

  /** @throws Error unless `text` is a decimal number or null */
  async set(text: string | null): Promise<void> {
    if (text !== null && !/^\d{1,40}$/.test(text))
      throw new Error(t('mistakes_state', { value: JSON.stringify(text) }));
    await this.keep(text === null ? null : BigInt(text));
  }

  /** The noise mode that gives this registration the chosen state; null if it cannot have that state. */
  noiseFor({ register, header }: Registration, limits: Limits): NoiseMode | null {
    if (this.state === null || register.kind !== 'source') return null;
    const json = parseJsonHeader(header).value;
    const source = json === null ? null : parseSource(json, register.sourceType, limits).value;
    if (source === null) return null;
    const space = new ReportSpace(shapeOf(source));
    if (this.state >= space.states) return null;
    return { kind: 'forced', state: space.decode(this.state) };
  }

  /** Call it when a source was stored with the state, which applies to one source only. */
  async used(): Promise<void> {
    await this.keep(null);
  }

  private async keep(state: bigint | null): Promise<void> {
    await this.store.setMeta('forcedState', state);
    this.state = state;
  }
}
