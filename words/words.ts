import type { Check, CheckId } from '../src/model/checks';
import type { MeasurementSettings, PrivacyUnit } from '../src/model/mechanisms';
import { issueWords, type IssueMessages, type IssueWords } from './issues';
import { sayer } from './say';

/** The messages of a language, in ICU's syntax. */
export interface Messages {
  readonly issues: IssueMessages;
  readonly checks: Readonly<Record<CheckId, string>>;
  readonly units: Readonly<Record<PrivacyUnit, string>>;
  /** Stands beside every guarantee where limits are those of the specification. */
  readonly limitsOfSpecification: string;
}

/** A site as messages take it; empty if the site was erased. */
const orErased = (site: string): string => (site === '' ? 'erased' : site);

/** The texts for facts in one language. */
export interface Words extends IssueWords {
  /** The numbers that a check compared. */
  readonly check: (check: Check) => string;
  /** A privacy unit of the budget. */
  readonly unit: (unit: {
    readonly unit: PrivacyUnit;
    readonly of: string;
    readonly reportingSite?: string | null;
  }) => string;
  /** What to add to a guarantee; null: it holds whatever limits are reached. */
  readonly exception: (settings: Pick<MeasurementSettings, 'limits'>) => string | null;
}

export function wordsOf(language: string, messages: Messages): Words {
  const check = sayer(language, messages.checks);
  const sayUnit = sayer(language, messages.units);
  const unit: Words['unit'] = ({ unit: id, of, reportingSite = null }) =>
    sayUnit(id, {
      of: orErased(of),
      reportingSite: reportingSite === null ? 'none' : orErased(reportingSite),
    });
  return {
    ...issueWords(language, messages.issues),
    check: ({ id, values }) => {
      if (id === 'privacy-budget' || id === 'impressions-of-unit')
        return check(id, { ...values, reportingSite: values.reportingSite ?? 'none', unit: unit(values) });
      // A file may come from a later version, which makes more checks.
      return Object.hasOwn(messages.checks, id) ? check(id, values) : JSON.stringify(values);
    },
    unit,
    exception: ({ limits }) => (limits === 'specification' ? messages.limitsOfSpecification : null),
  };
}
