import { rulesOf, type SourceGroup } from '../../analysis/estimate/join/joined-groups';
import type { SourceRules } from '../../analysis/estimate/join/source-outputs';
import { joinedConfiguration } from '../sources/estimate-configuration';
import type { Queries } from './database';
import { selectOtherConfigurations } from './sources';

interface KnownConfiguration {
  readonly configuration: NonNullable<SourceGroup['configuration']>;
  readonly rules: SourceRules;
}

/**
 * A store's configurations by id, as the estimates need them; null if their reports say nothing. They never change, so each is read once.
 */
export class KnownConfigurations {
  readonly #known = new Map<string, KnownConfiguration | null>();

  /** All configurations that the store has at the time of the call. */
  async read(queries: Queries): Promise<ReadonlyMap<string, KnownConfiguration | null>> {
    for (const { id, definition } of await selectOtherConfigurations(queries, [...this.#known.keys()])) {
      const configuration = joinedConfiguration(definition);
      this.#known.set(
        id,
        configuration === null
          ? null
          : { configuration: { name: id, configuration }, rules: rulesOf(configuration) },
      );
    }
    return this.#known;
  }
}
