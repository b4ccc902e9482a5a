import { audit, comparisonsOf, type Finding } from '../../analysis/audit/audit';
import { auditRelease, releases } from '../../analysis/releases/releases';
import { auditW3c } from '../../analysis/w3c/audit/audit';
import { w3cRelations } from '../../analysis/w3c/audit/relations';
import { toJson } from '../../formats/codec/plain-json';
import { moment } from '../../src/model/units';
import { english } from '../../words/english';
import type { ApiLimits } from '../../w3c/limits';
import type { DefineCommand } from '../io/define';
import { randomFor } from '../io/random';
import { jointBoundText } from '../io/joint-bound-text';
import { auditedBy, type ChosenSettings } from './audited';

interface AuditOptions extends ChosenSettings {
  readonly seed?: string;
  readonly json?: boolean;
}

/** `cointoss audit`: compares how well neighbouring worlds can be told apart with what is promised. Exit code 1 if a promise is broken. */
export const define: DefineCommand = (command, { print, sayNo }) => {
  command
    .option('--settings <file>', 'audit these settings, or those of this trial, instead of the built-in ones')
    .option('--registered <epsilon>', 'the ε that sources register, if the settings do not contain it')
    .option('--seed <seed>', 'make the draws repeatable, if draws bound a loss')
    .option('--json', 'print one JSON object per line')
    .action(async (options: AuditOptions) => {
      const { audited: all, trial } = auditedBy(options);
      if (options.json !== true) print(HEAD);
      let broken = 0;
      const show = (found: Printed, relation: string, differs: string): void => {
        const lines =
          options.json === true ? [JSON.stringify(jsonOf({ ...found, relation }))] : linesOf(found, differs);
        for (const line of lines) print(line);
        if (!found.holds) broken += 1;
      };
      for (const audited of all)
        for (const comparison of comparisonsOf(audited)) {
          const finding = await audit(audited, comparison, randomFor(options.seed)(0));
          show(finding, finding.relation, comparison.relation.differs + observers[finding.observer]);
        }
      const isBuiltIn = options.settings === undefined;
      if (isBuiltIn)
        for (const release of releases) {
          const found = await auditRelease(release, randomFor(options.seed)(0));
          show({ configuration: 'releases', ...found }, release.id, release.differs);
        }
      if (isBuiltIn || all.some(({ settings }) => settings.w3cAttribution))
        for (const relation of w3cRelations) {
          const { id, differs, observer, limits } = relation;
          const found = { configuration: 'W3C Attribution', ...(await auditW3c(relation)), limits };
          const seen = observers[observer === null ? 'everyone' : 'reporting-site'];
          show(found, id, `${differs}${seen}${limits === undefined ? '' : ', with other limits'}`);
        }
      const joint = trial === null ? null : jointBoundText(trial, moment(Date.now()));
      if (options.json !== true && joint !== null) print(`Not audited, but added up: ${joint}.`);
      const exceptions = new Set(all.flatMap(({ settings }) => english.exception(settings) ?? []));
      if (options.json !== true) for (const exception of exceptions) print(exception);
      if (options.json !== true) print(broken === 0 ? 'Every promise holds.' : `Broken promises: ${broken}.`);
      if (broken > 0) sayNo();
    });
};

const row = (verdict: string, promised: string, loss: string, what: string): string =>
  `${verdict.padEnd(7)} ${promised.padStart(9)} ${loss.padStart(9)}  ${what}`;

const HEAD = row('', 'promised', 'lost', 'configuration: what differs');

/** What is printed of a relation, or of a release. */
type Printed = Pick<Finding, 'configuration' | 'promise' | 'loss' | 'method' | 'holds'> &
  Partial<Pick<Finding, 'delta'>> & {
    /** Those of W3C Attribution that are not Cointoss's. */
    readonly limits?: Partial<ApiLimits> | undefined;
  };

function linesOf(
  { configuration, promise, loss, delta = null, method, holds }: Printed,
  differs: string,
): readonly string[] {
  const verdict = promise === null ? '-' : holds ? 'holds' : 'BROKEN';
  const lost = `${method === 'exact' ? '' : '≥ '}${shown(loss.epsilon)}`;
  const line = row(
    verdict,
    promise === null ? 'nothing' : shown(promise),
    lost,
    `${configuration}: ${differs}${delta === null ? '' : `; more with a probability of ${delta.lost.toPrecision(2)}, promised ${delta.promise}`}`,
  );
  if (holds || loss.event === null) return [line];
  const { output, probabilities } = loss.event;
  const [first, second] = probabilities.map((probability) => probability.toPrecision(4));
  return [
    line,
    `        told by: ${output === '' ? 'nothing is reported' : output} (probability ${first}, and ${second} in the other world)`,
  ];
}

/** Who looks, if it is not one reporting site at all that it gets. */
const observers: Readonly<Record<Finding['observer'], string>> = {
  'reporting-site': '',
  everyone: ', seen by whoever gets all reports',
  'one-source': ', seen in the reports of one source',
  untimed: ', seen without times and order',
  aggregatable: ', seen in aggregatable reports',
};

/** More digits would be those that doubles round. */
const shown = (value: number): string => (Number.isFinite(value) ? value.toFixed(6) : 'infinite');

const jsonOf = ({ loss, ...finding }: Printed & { readonly relation: string }): unknown =>
  toJson({
    ...finding,
    loss: Number.isFinite(loss.epsilon) ? loss.epsilon : 'Infinity',
    event: loss.event,
  });
