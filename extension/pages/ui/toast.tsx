import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Notice } from '../state/session';

export function Toast({
  notice,
  act,
  onEnd,
}: {
  readonly notice: Notice;
  readonly act: (action: () => Promise<unknown>) => void;
  readonly onEnd: () => void;
}): JSX.Element {
  const { text, action, lasts } = notice;
  useEffect(() => {
    const timer = setTimeout(onEnd, lasts);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <div class="toast" role="status" id="toast">
      <span>{text}</span>
      {action !== undefined && (
        <button
          type="button"
          class="plain"
          id="undo"
          onClick={() => {
            act(action.run);
            onEnd();
          }}
        >
          {action.label}
        </button>
      )}
    </div>
  );
}
