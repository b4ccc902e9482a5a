import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Json } from '../../../../src/model/json';
import type { SourceRegistration } from '../../../../src/model/registration';
import { ReportSpace } from '../../../../src/states/report-space';
import { shapeOf } from '../../../../src/states/source-space';
import { t } from '../../../i18n';
import type { RegisterAs } from '../../explain/workbench';
import { Card, Json as JsonText } from '../../ui/basics';
import { StateChooser } from '../../ui/state-chooser';

/** Says that the draft registers, and what it means with every default. */
export const Valid = ({
  effective,
  as,
}: {
  readonly effective: Json;
  readonly as: RegisterAs;
}): JSX.Element => (
  <Card title={t('workbench_valid')}>
    <p class="good" role="status" id="valid">
      {t('workbench_registers', { as })}
    </p>
    <details id="effective">
      <summary>{t('source_effective_label')}</summary>
      <JsonText value={effective} label={t('source_effective_label')} />
    </details>
  </Card>
);

/** The states of the draft's source. */
export function WorkbenchStates({ source }: { readonly source: SourceRegistration }): JSX.Element {
  const space = useMemo(() => new ReportSpace(shapeOf(source)), [source]);
  const [wanted, setWanted] = useState(0n);
  // Another registration may have fewer states.
  const number = wanted < space.states ? wanted : space.states - 1n;
  return <StateChooser registration={source} space={space} number={number} onChange={setWanted} />;
}
