import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { trueState } from '../../../src/inspect/true-state';
import type { Source, SourceNoise } from '../../../src/model/records';
import { ReportSpace, type ReportState } from '../../../src/states/report-space';
import { shapeOf } from '../../../src/states/source-space';
import { useConversionsOf } from '../lib/related';
import { useSession } from '../lib/session';
import { useLoaded } from '../lib/use-stored';
import { Card, NeedsDebugMode } from '../ui/basics';
import { StatePicture } from '../ui/state-picture';
import { Probabilities } from './probabilities';

/** The states of a source: any of them by number or picture, and in debug mode the true one and the noised one. */
export function States({ source }: { readonly source: Source }): JSX.Element {
  const { truth } = useSession();
  const { registration } = source;
  const space = useMemo(() => new ReportSpace(shapeOf(registration)), [source.id]);
  const [number, setNumber] = useState(0n);
  const state = space.decode(number);
  const truthful = useTrueState(source);
  const noised = noisedState(source);
  return (
    <>
      <Card title="What the source can report">
        <p>
          Its output is one of <strong id="states">{String(space.states)}</strong> states: every set of
          reports that its trigger data, windows and maximum of {registration.maxEventLevelReports} allow.
          Choose one by its number, or click the picture.
        </p>
        <NumberField space={space} number={number} onChange={setNumber} />
        <StatePicture
          registration={registration}
          state={state}
          label={`State ${String(number)}`}
          onChange={(changed) => setNumber(space.encode(changed))}
        />
      </Card>
      {truth ? (
        <div class="cards wide">
          {truthful != null && (
            <Known
              title="The truth now"
              id="true-state"
              number={truthful.number}
              state={truthful.state}
              source={source}
              onPick={setNumber}
            >
              What the source would report if nothing more happened, worked out from its conversions.
            </Known>
          )}
          {noised === null ? (
            <Card title="The output">
              <p id="noised-state">{outputInWords(source.noise)}</p>
            </Card>
          ) : (
            <Known
              title="The output, noised"
              id="noised-state"
              number={noised}
              state={space.decode(noised)}
              source={source}
              onPick={setNumber}
            >
              {source.noise.kind === 'drawn'
                ? 'Drawn from the truth when the report window closed; nothing changes it.'
                : 'Drawn when the source was registered; nothing changes it.'}
            </Known>
          )}
        </div>
      ) : (
        <NeedsDebugMode what="The true state and the noised one stay hidden." />
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
      return 'Noise was off: the output is the truth.';
    case 'undrawn':
      return `It is drawn from the truth by ${noise.mechanism} when the report window closes. Until then nothing leaves.`;
    case 'drawn':
      return noise.output.kind === 'value'
        ? `${noise.mechanism} gave out the number ${noise.output.value} for the true state ${noise.truth}.`
        : `${noise.mechanism} gave out state ${noise.output.state} for the true state ${noise.truth}.`;
    case 'replaced':
    case 'truthful':
      return 'Randomized response left the truth alone: the output is the truth.';
  }
}

function useTrueState(source: Source): { number: bigint; state: ReportState } | null | undefined {
  const conversions = useConversionsOf(source.id);
  return useLoaded(
    () => (conversions === undefined ? Promise.resolve(null) : trueState(source, conversions)),
    [source, conversions],
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
        State <strong id={id}>{String(number)}</strong>{' '}
        <button type="button" class="plain" onClick={() => onPick(number)}>
          Show above<span class="visually-hidden"> the state {String(number)}</span>
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
      setProblem(`must be a whole number from 0 to ${String(space.states - 1n)}`);
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
      <label for="state-number">State</label>
      <input
        id="state-number"
        inputMode="numeric"
        size={Math.max(8, String(space.states).length)}
        value={String(number)}
        aria-invalid={problem !== ''}
        aria-describedby="state-problem"
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
      <button type="button" onClick={() => step(-1n)} aria-label="Previous state">
        −
      </button>
      <button type="button" onClick={() => step(1n)} aria-label="Next state">
        +
      </button>
      <span id="state-problem" class="bad" role="alert">
        {problem}
      </span>
    </div>
  );
}
