import type { ComponentChildren, JSX } from 'preact';
import { t } from '../../i18n';

/** Whether a setting stays the person's own while they take part in a trial. */
export const isFreeInTrial = (path: string): boolean => path === 'paused' || path === 'pausedSites';

/** Settings that can be looked at but not changed, because a trial decides them. */
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
