import type { ComponentChildren, JSX } from 'preact';
import { t } from '../../i18n';

/** Shows settings that cannot be changed because a trial decides them. */
export const Locked = ({
  by,
  children,
}: {
  readonly by: { readonly title: string } | null;
  readonly children: ComponentChildren;
}): JSX.Element => (
  <fieldset
    class="locked"
    disabled={by !== null}
    title={by === null ? undefined : t('trial_locked', { title: by.title })}
  >
    {children}
  </fieldset>
);
