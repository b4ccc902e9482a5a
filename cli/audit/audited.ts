import type { Audited } from '../../analysis/audit/audit';
import { matrix } from '../../analysis/audit/matrix';
import { relations } from '../../analysis/audit/relations';
import type { Trial } from '../../formats/settings/trial';
import { registeredSources } from '../../formats/settings/registered-sources';
import { chromiumLimits } from '../../src/model/limits';
import { epsilon, type Epsilon } from '../../src/model/units';
import { epsilonParameter, ParameterError } from '../../src/privacy/parameters';
import { english } from '../../words/english';
import { InputError } from '../io/input';
import { readSettingsOrTrial } from '../io/settings-file';

/** The options that say what is audited. */
export interface ChosenSettings {
  readonly settings?: string;
  readonly registered?: string;
}

/** The configurations to audit: one for each ε with which the file says that sources register. @throws InputError */
export function auditedBy({ settings: file, registered }: ChosenSettings): {
  readonly audited: readonly Audited[];
  readonly trial: Trial | null;
} {
  if (file === undefined) {
    if (registered !== undefined) throw new InputError('audit: --registered: needs --settings');
    return { audited: matrix, trial: null };
  }
  const { settings, trial } = readSettingsOrTrial(file);
  const stated = registeredSources(settings, trial?.registrations ?? []);
  const all = [...new Set(stated.map(({ registration }) => registration.eventLevelEpsilon))];
  if (all.length === 0)
    return {
      trial,
      audited: [{ name: file, settings, registered: registeredEpsilon(file, registered), also: onRequest }],
    };
  if (registered !== undefined)
    throw new InputError(
      `audit: --registered: must not be given, because ${file} says with which ε sources register: ${all.join(', ')}`,
    );
  const audited = all.map((epsilon) => ({
    name: all.length === 1 ? file : `${file}, registered with ε = ${epsilon}`,
    settings,
    registered: epsilon,
    also: onRequest,
  }));
  return { audited, trial };
}

/** Settings of one's own are tried in every row, however few of the built-in ones are. */
const onRequest = relations.flatMap(({ id, onRequest }) => (onRequest === true ? [id] : []));

function registeredEpsilon(file: string, registered: string | undefined): Epsilon {
  if (registered === undefined)
    throw new InputError(
      `audit: --registered: must be given, because ${file} does not say with which ε sources register: neither "registrations" of a trial nor a recording rule does. Expected their event_level_epsilon, which is ${chromiumLimits.maxSettableEpsilon} if they have none`,
    );
  try {
    return epsilon(epsilonParameter(registered).toNumber());
  } catch (error) {
    if (error instanceof ParameterError)
      throw new InputError(`audit: --registered${english.issueSentence(error.issue).replace(/^\w+/, '')}`);
    throw error;
  }
}
