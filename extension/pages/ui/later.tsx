import type { ComponentType, JSX } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { t } from '../../i18n';
import { useSession } from '../lib/session';

/**
 * A component whose code is loaded when it is first shown.
 * @param Meanwhile what is shown until then, and painted before the code is asked for
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Meanwhile?: (props: Props) => JSX.Element,
): (props: Props) => JSX.Element {
  const useStart = Meanwhile === undefined ? useLayoutEffect : useEffect;
  return function Later(props) {
    const [Loaded, setLoaded] = useState<ComponentType<Props> | null>(null);
    const { act } = useSession();
    useStart(() => act(async () => setLoaded(await load().then((view) => () => view))), []);
    if (Loaded !== null) return <Loaded {...props} />;
    return Meanwhile === undefined ? <p class="soft">{t('loading')}</p> : <Meanwhile {...props} />;
  };
}
