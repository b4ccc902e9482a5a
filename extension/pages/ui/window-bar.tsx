import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { t } from '../../i18n';
import { showTimeIn } from '../words/words';

const HOUR = 3_600_000;

/** In hours: how far each key moves the end of a window. */
const steps: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -24,
  PageUp: 24,
  Home: -Infinity,
  End: Infinity,
};

/**
 * Report windows to scale, whose ends can be dragged or moved with the keyboard, by whole hours. A window stays at least an hour long.
 * @param ends in ms after the source, ascending; at most `expiry`
 */
export function WindowBar({
  start,
  ends,
  expiry,
  onChange,
}: {
  readonly start: number;
  readonly ends: readonly number[];
  readonly expiry: number;
  readonly onChange: (ends: readonly number[]) => void;
}): JSX.Element {
  const bar = useRef<HTMLDivElement>(null);
  const share = (time: number): string => `${(Math.min(time, expiry) / expiry) * 100}%`;
  const bounds = (index: number): readonly [number, number] => [
    (ends[index - 1] ?? start) + HOUR,
    (ends[index + 1] ?? expiry + HOUR) - HOUR,
  ];
  const move = (index: number, to: number): void => {
    const [least, most] = bounds(index);
    const end = Math.min(most, Math.max(least, Math.round(to / HOUR) * HOUR));
    onChange(ends.map((old, other) => (other === index ? end : old)));
  };
  const drag = (index: number, { clientX }: PointerEvent): void => {
    const { left = 0, width = 1 } = bar.current?.getBoundingClientRect() ?? {};
    move(index, ((clientX - left) / width) * expiry);
  };
  return (
    <div class="window-bar" ref={bar}>
      {ends.map((end, index) => (
        <span
          key={`window ${index}`}
          class={index % 2 === 0 ? 'band' : 'band odd'}
          style={{ left: share(ends[index - 1] ?? start), right: `calc(100% - ${share(end)})` }}
        />
      ))}
      {ends.map((end, index) => {
        const [least, most] = bounds(index);
        return (
          <span
            key={index}
            class="handle"
            role="slider"
            tabIndex={0}
            style={{ left: share(end) }}
            aria-label={t('windows_end', { n: index + 1 })}
            aria-valuemin={least / HOUR}
            aria-valuemax={most / HOUR}
            aria-valuenow={end / HOUR}
            aria-valuetext={durationOf(end)}
            onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
            onPointerMove={(event) => {
              if (event.currentTarget.hasPointerCapture(event.pointerId)) drag(index, event);
            }}
            onKeyDown={(event) => {
              const step = steps[event.key];
              if (step === undefined) return;
              event.preventDefault();
              move(index, Math.min(most, Math.max(least, end + step * HOUR)));
            }}
          />
        );
      })}
    </div>
  );
}

/** "2 days", "2.5 days", "7 hours". */
export const durationOf = (time: number): string =>
  time < 24 * HOUR ? showTimeIn('hours', time / HOUR, 3) : showTimeIn('days', time / (24 * HOUR), 3);
