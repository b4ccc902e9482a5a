import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { trueState } from '../explain/true-state';
import type { Source, SourceNoise } from '../../../src/model/records';
import { noiseKind } from '../../../src/reports/event-level-report';
import { ReportSpace, type ReportState } from '../../../src/states/report-space';
import { shapeOf } from '../../../src/states/source-space';
import { rich, t } from '../../i18n';
import { useTriggersOf } from '../lib/related';
import { useSession } from '../lib/session';
import { useLoaded } from '../lib/use-stored';
import { Card, NeedsDebugMode } from '../ui/basics';
import { StatePicture } from '../ui/state-picture';
import { heard } from '../ui/tags';
import { Probabilities } from './probabilities';

/** The states of a source, chosen by number or picture. Debug mode also shows the true state and the noised one. */
export function States({ source }: { readonly source: Source }): JSX.Element {
  const { truth } = useSession();
  const { registration } = source;
  const space = useMemo(() => new ReportSpace(shapeOf(registration)), [source.id]);
  const [number, setNumber] = useState(0n);
  const state = space.decode(number);
  const truthful = useTrueState(source);
  const noised = noisedState(source);
  const isForced = noiseKind(source) === 'forced';
  return (
    <>
      <Card title={t('states_title')}>
        <p>
          {rich('states_what', {
            states: <strong id="states">{String(space.states)}</strong>,
            most: registration.maxEventLevelReports,
          })}
        </p>
        <NumberField space={space} number={number} onChange={setNumber} />
        <StatePicture
          registration={registration}
          state={state}
          label={t('states_state', { number: String(number) })}
          onChange={(changed) => setNumber(space.encode(changed))}
        />
      </Card>
      {truth ? (
        <div class="cards wide">
          {truthful != null && (
            <Known
              title={t('states_truth')}
              id="true-state"
              number={truthful.number}
              state={truthful.state}
              source={source}
              onPick={setNumber}
            >
              {t('states_truth_what')}
            </Known>
          )}
          {noised === null ? (
            <Card title={t('states_output')}>
              <p id="noised-state">{outputInWords(source.noise)}</p>
            </Card>
          ) : (
            <Known
              title={t(isForced ? 'states_forced' : 'states_noised')}
              id="noised-state"
              number={noised}
              state={space.decode(noised)}
              source={source}
              onPick={setNumber}
            >
              {t(
                isForced
                  ? 'checks_output_forced'
                  : source.noise.kind === 'drawn'
                    ? 'states_drawn_at_end'
                    : 'states_drawn_at_registration',
              )}
            </Known>
          )}
        </div>
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

const isRandomizedResponse = ({ kind }: SourceNoise): boolean => kind !== 'undrawn' && kind !== 'drawn';

function noisedState({ noise }: Source): bigint | null {
  if (noise.kind === 'replaced') return noise.state;
  return noise.kind === 'drawn' && noise.output.kind === 'state' ? noise.output.state : null;
}

function outputInWords(noise: SourceNoise): string {
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
    case 'truthful':
      return t('states_truthful');
  }
}

function useTrueState(source: Source): { number: bigint; state: ReportState } | null | undefined {
  const triggers = useTriggersOf(source.id);
  return useLoaded(
    () => (triggers === undefined ? Promise.resolve(null) : trueState(source, triggers)),
    [source, triggers],
  );
}

function Known({
  title,
  id,
  number,
  state,
  source,
  onPick,
  children,
}: {
  readonly title: string;
  readonly id: string;
  readonly number: bigint;
  readonly state: ReportState;
  readonly source: Source;
  readonly onPick: (number: bigint) => void;
  readonly children: string;
}): JSX.Element {
  return (
    <Card title={title}>
      <p class="soft">{children}</p>
      <p>
        {rich('states_number', { number: <strong id={id}>{String(number)}</strong> })}{' '}
        <button type="button" class="plain" onClick={() => onPick(number)}>
          {rich('states_show_above', { number: String(number), heard })}
        </button>
      </p>
      <StatePicture registration={source.registration} state={state} label={title} />
    </Card>
  );
}

function NumberField({
  space,
  number,
  onChange,
}: {
  readonly space: ReportSpace;
  readonly number: bigint;
  readonly onChange: (number: bigint) => void;
}): JSX.Element {
  const [problem, setProblem] = useState('');
  const change = (text: string): void => {
    const trimmed = text.trim();
    if (!/^\d+$/.test(trimmed) || BigInt(trimmed) >= space.states) {
      setProblem(t('states_bad_number', { last: String(space.states - 1n) }));
      return;
    }
    setProblem('');
    onChange(BigInt(trimmed));
  };
  const step = (by: bigint): void => {
    setProblem('');
    onChange((number + by + space.states) % space.states);
  };
  return (
    <div class="row">
      <label for="state-number">{t('states_field')}</label>
      <input
        id="state-number"
        inputMode="numeric"
        size={Math.max(8, String(space.states).length)}
        value={String(number)}
        aria-invalid={problem !== ''}
        aria-describedby="state-problem"
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
      <button type="button" onClick={() => step(-1n)} aria-label={t('states_previous')}>
        −
      </button>
      <button type="button" onClick={() => step(1n)} aria-label={t('states_next')}>
        +
      </button>
      <span id="state-problem" class="bad" role="alert">
        {problem}
      </span>
    </div>
  );
}
