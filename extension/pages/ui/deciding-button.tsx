import type { ComponentChildren, JSX } from 'preact';
import { useCallback, useEffect, useId, useRef, useState } from 'preact/hooks';
import { t } from '../../i18n';

/** In ms: how long a button must have been where it is before it can be pressed. */
const REST = 1000;
/** In ms: how often it looks where it is. */
const LOOK = 100;

/**
 * A button that decides something for the person. A page can open the tab under somebody's finger, so that the second half of a double click
 * or a key lands on what appears there. So the button does nothing until it has been at its place for a second, in a window that is shown and
 * has the focus. A press before that starts the second anew.
 */
export function DecidingButton({
  onPress,
  type = 'button',
  children,
  ...others
}: {
  /** For `submit`: the form's handler does it. */
  readonly onPress?: () => void;
  readonly type?: 'button' | 'submit';
  readonly id: string;
  readonly class?: string | undefined;
  readonly disabled?: boolean;
  readonly children: ComponentChildren;
}): JSX.Element {
  const button = useRef<HTMLButtonElement>(null);
  const { isAtRest, look, startAnew } = useRest(button);
  const reason = useId();
  return (
    <>
      <button
        {...others}
        type={type}
        ref={button}
        aria-disabled={isAtRest ? undefined : true}
        aria-describedby={isAtRest ? undefined : reason}
        title={isAtRest ? undefined : t('ui_decide_wait')}
        onClick={(event) => {
          if (look()) return onPress?.();
          event.preventDefault();
          startAnew();
        }}
      >
        {children}
      </button>
      <span id={reason} hidden>
        {t('ui_decide_wait')}
      </span>
    </>
  );
}

function useRest(element: { readonly current: HTMLElement | null }): {
  readonly isAtRest: boolean;
  /** Whether it is at rest at this moment. */
  readonly look: () => boolean;
  readonly startAnew: () => void;
} {
  const [isAtRest, setIsAtRest] = useState(false);
  const seen = useRef({ place: '', since: 0 });
  const look = useCallback((): boolean => {
    const { x = 0, y = 0, width = 0, height = 0 } = element.current?.getBoundingClientRect() ?? {};
    const place = [x, y, width, height].map(Math.round).join(' ');
    if (place !== seen.current.place) seen.current = { place, since: performance.now() };
    const rests = performance.now() - seen.current.since >= REST;
    setIsAtRest(rests);
    return rests;
  }, [element]);
  const startAnew = useCallback(() => {
    seen.current.since = performance.now();
    setIsAtRest(false);
  }, []);
  useEffect(() => {
    look();
    const timer = setInterval(look, LOOK);
    addEventListener('focus', startAnew);
    document.addEventListener('visibilitychange', startAnew);
    return () => {
      clearInterval(timer);
      removeEventListener('focus', startAnew);
      document.removeEventListener('visibilitychange', startAnew);
    };
  }, [look, startAnew]);
  return { isAtRest, look, startAnew };
}
