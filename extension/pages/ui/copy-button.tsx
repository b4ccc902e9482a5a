import type { JSX } from 'preact';
import { t } from '../../i18n';
import { useSession } from '../state/session';

/** Copies a text to the clipboard, and says so. */
export function CopyButton({
  id,
  label,
  text,
  copied,
}: {
  readonly id: string;
  readonly label: string;
  /** Null: it cannot be made, and somebody else says why. */
  readonly text: () => string | Promise<string | null>;
  readonly copied: string;
}): JSX.Element {
  const { act, notify } = useSession();
  const copy = async (): Promise<void> => {
    const made = await text();
    if (made === null) return;
    await navigator.clipboard.writeText(made).then(
      () => notify({ text: copied, lasts: 3000 }),
      () => notify({ text: t('share_not_copied'), lasts: 5000 }),
    );
  };
  return (
    <button type="button" id={id} onClick={() => act(copy)}>
      {label}
    </button>
  );
}
