import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { trueState, type TrueState } from '../../explain/true-state';
import type { Source, SourceNoise } from '../../../../src/model/records';
import { noiseKind } from '../../../../src/reports/event-level-report';
import { ReportSpace } from '../../../../src/states/report-space';
import { shapeOf } from '../../../../src/states/source-space';
import { t } from '../../../i18n';
import { useTriggersOf } from '../../state/related';
import { useSession } from '../../state/session';
import { useLoaded } from '../../state/use-stored';
import { Card, NeedsDebugMode } from '../../ui/basics';
import { StateChooser } from '../../ui/state-chooser';
import type { MarkedState } from '../../ui/state-picture';
import { Probabilities } from './probabilities';

/**
 * The states of a source, chosen by number or picture. Debug mode opens on the output that is drawn, and marks it and the true state in
 * the same picture.
 */
export function States({ source }: { readonly source: Source }): JSX.Element {
  const { truth } = useSession();
  const { registration } = source;
  const space = useMemo(() => new ReportSpace(shapeOf(registration)), [source.id]);
  const [chosen, setChosen] = useState<bigint | null>(null);
  const truthful = useTrueState(source);
  const drawn = noisedState(source);
  const marked: readonly MarkedState[] = truth
    ? [
        ...(truthful == null ? [] : [{ kind: 'true', ...truthful } as const]),
        ...(drawn === null ? [] : [{ kind: 'drawn', number: drawn, state: space.decode(drawn) } as const]),
      ]
    : [];
  const output = drawn ?? (isOutput(source.noise) ? truthful?.number : undefined);
  const number = chosen ?? (truth ? (output ?? 0n) : 0n);
  return (
    <>
      <StateChooser
        registration={registration}
        space={space}
        number={number}
        marked={marked}
        onChange={setChosen}
      />
      {truth ? (
        <Card title={t('states_output')}>
          {truthful != null && <p class="soft">{t('states_truth_what')}</p>}
          <p id="output">{outputInWords(source)}</p>
        </Card>
      ) : (
        <NeedsDebugMode what={t('states_hidden')} />
      )}
      {isRandomizedResponse(source.noise) && (
        <Probabilities
          states={space.states}
          epsilon={registration.eventLevelEpsilon}
          chosen={number}
          truth={truth ? (truthful?.number ?? null) : null}
        />
      )}
    </>
  );
}

/** Whether the output is the truth. */
const isOutput = ({ kind }: SourceNoise): boolean => kind === 'truthful' || kind === 'off';

const isRandomizedResponse = ({ kind }: SourceNoise): boolean => kind !== 'undrawn' && kind !== 'drawn';

function noisedState({ noise }: Source): bigint | null {
  if (noise.kind === 'replaced') return noise.state;
  return noise.kind === 'drawn' && noise.output.kind === 'state' ? noise.output.state : null;
}

function outputInWords(source: Source): string {
  const { noise } = source;
  switch (noise.kind) {
    case 'off':
      return t('states_noise_off');
    case 'undrawn':
      return t('states_to_be_drawn', { mechanism: noise.mechanism });
    case 'drawn':
      return noise.output.kind === 'value'
        ? t('states_drawn_value', {
            mechanism: noise.mechanism,
            value: noise.output.value,
            truth: String(noise.truth),
          })
        : t('states_drawn_state', {
            mechanism: noise.mechanism,
            state: String(noise.output.state),
            truth: String(noise.truth),
          });
    case 'replaced':
      return t(noiseKind(source) === 'forced' ? 'checks_output_forced' : 'states_drawn_at_registration');
    case 'truthful':
      return t('states_truthful');
  }
}

function useTrueState(source: Source): TrueState | null | undefined {
  const triggers = useTriggersOf(source.id);
  return useLoaded(
    () => Promise.resolve(triggers === undefined ? null : trueState(source, triggers)),
    [source, triggers],
  );
}
