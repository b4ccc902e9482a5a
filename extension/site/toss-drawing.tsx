import type { JSX } from 'preact';
import { t } from '../i18n';
import { showDecimal } from '../pages/words/words';
import { usePlotWidth } from '../pages/ui/plot-width';
import type { TossOdds } from './toss-run';

const HEIGHT = 290;
/** The width of the whole stream. */
const FULL = 84;
const START = 10;
/** The middle of the whole stream. */
const MIDDLE = 145;

/** From left to right: the coin, and where the states' streams end. */
interface Places {
  readonly coin: number;
  readonly end: number;
}
const WIDE = 600;
const wide: Places = { coin: 200, end: 470 };
const narrow: Places = { coin: 98, end: 218 };

const states = [
  { title: t('toss_purchase'), y: 65 },
  { title: t('toss_nothing'), y: 160 },
  { title: t('toss_sign_up'), y: 240 },
] as const;

/** A part of the stream: which state it leads to, and its probability. */
interface Lane {
  readonly state: number;
  readonly kind: 'truth' | 'chance';
  readonly odds: number;
}

/** The stream of one true state, a purchase, splits at the coin into the reported states. Widths are probabilities. */
export function TossDrawing({ odds }: { readonly odds: TossOdds }): JSX.Element {
  const width = usePlotWidth(WIDE);
  const isNarrow = width < WIDE;
  const places = isNarrow ? narrow : wide;
  // Beside the coin of a narrow drawing there is no room.
  const above = isNarrow ? FULL / 2 + 20 : 0;
  const lanes: readonly Lane[] = [
    { state: 0, kind: 'truth', odds: 1 - odds.replaced },
    ...states.map((_, state) => ({ state, kind: 'chance' as const, odds: odds.other })),
  ];
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label={t('toss')}>
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} class="plot" role="img" aria-label={t('toss_drawing')}>
        <path d={`M${START} ${MIDDLE} H${places.coin}`} class="stream" stroke-width={FULL} />
        {lanes.map((lane, index) => (
          <path
            key={index}
            d={curve(places, startOf(lanes, index), endOf(lanes, index))}
            class={`stream ${lane.kind}`}
            stroke-width={FULL * lane.odds}
          />
        ))}
        <Drops lanes={lanes} places={places} />
        <g transform={`translate(${places.coin} ${MIDDLE})`}>
          <circle r="36" class="coin" />
          <text text-anchor="middle" dy="5" class="on-coin">
            {t('toss_coin')}
          </text>
        </g>
        <text x={START + (isNarrow ? 0 : 10)} y={MIDDLE - 6 - above} class="strong">
          {t('toss_true')}
        </text>
        <text x={START + (isNarrow ? 0 : 10)} y={MIDDLE + 16 - above}>
          {t('toss_purchase')}
        </text>
        {states.map(({ title, y }, index) => (
          <g key={title} transform={`translate(${places.end + 12} ${y})`}>
            <text dy="-4" class="strong">
              {title}
            </text>
            <text dy="15">
              {t('attribution_percent', {
                number: showDecimal(100 * (index === 0 ? odds.truth : odds.other), 3),
              })}
            </text>
          </g>
        ))}
      </svg>
    </div>
  );
}

/** One for each lane, flowing from the true state to the reported one. */
const Drops = ({
  lanes,
  places,
}: {
  readonly lanes: readonly Lane[];
  readonly places: Places;
}): JSX.Element => (
  <>
    {lanes.map((_, index) => {
      const from = startOf(lanes, index);
      return (
        <circle
          key={index}
          r="4"
          class="drop moving"
          style={{
            offsetPath: `path("M${START} ${from} H${places.coin} ${bend(places, from, endOf(lanes, index))}")`,
            animationDelay: `${index * -1.1}s`,
          }}
        />
      );
    })}
  </>
);

const sum = (lanes: readonly Lane[]): number => lanes.reduce((total, { odds }) => total + odds, 0);

/** The middle of a lane at the coin, where all lanes lie beside each other. */
const startOf = (lanes: readonly Lane[], index: number): number =>
  MIDDLE + FULL * (sum(lanes.slice(0, index)) + sum(lanes.slice(index, index + 1)) / 2 - 1 / 2);

/** The middle of a lane at its state, beside the others that lead there. */
function endOf(lanes: readonly Lane[], index: number): number {
  const state = lanes[index]?.state ?? 0;
  const before = lanes.slice(0, index).filter((lane) => lane.state === state);
  const all = lanes.filter((lane) => lane.state === state);
  const own = sum(lanes.slice(index, index + 1));
  return (states[state]?.y ?? 0) + FULL * (sum(before) + own / 2 - sum(all) / 2);
}

const curve = (places: Places, from: number, to: number): string =>
  `M${places.coin} ${from} ${bend(places, from, to)}`;

function bend({ coin, end }: Places, from: number, to: number): string {
  const middle = (coin + end) / 2;
  return `C${middle} ${from} ${middle} ${to} ${end} ${to}`;
}
