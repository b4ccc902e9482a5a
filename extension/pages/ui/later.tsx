import type { ComponentType, JSX } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { t } from '../../i18n';
import { useSession } from '../state/session';

interface Later<Props> {
  (props: Props): JSX.Element;
  /** Loads the code before it is shown, so that it is there at once. */
  readonly prepare: () => Promise<void>;
}

/**
 * A component whose code is loaded when it is first shown.
 * @param Meanwhile what is shown until then, and painted before the code is asked for
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Meanwhile?: (props: Props) => JSX.Element,
): Later<Props> {
  const useStart = Meanwhile === undefined ? useLayoutEffect : useEffect;
  let loaded: ComponentType<Props> | null = null;
  const prepare = async (): Promise<void> => void (loaded = await load());
  function Later(props: Props): JSX.Element {
    const [Shown, setShown] = useState(() => loaded);
    const { act } = useSession();
    useStart(() => {
      if (Shown === null) act(async () => prepare().then(() => setShown(() => loaded)));
    }, []);
    if (Shown !== null) return <Shown {...props} />;
    return Meanwhile === undefined ? <p class="soft">{t('loading')}</p> : <Meanwhile {...props} />;
  }
  return Object.assign(Later, { prepare });
}
