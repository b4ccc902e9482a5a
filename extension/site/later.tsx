import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../i18n';
import { useSession } from '../pages/lib/session';

/** A view whose code is loaded when it is first shown. */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => JSX.Element {
  return function Later(props) {
    const [Loaded, setLoaded] = useState<ComponentType<Props> | null>(null);
    const { act } = useSession();
    useEffect(() => act(async () => setLoaded(await load().then((view) => () => view))), []);
    return Loaded === null ? <p class="soft">{t('site_loading')}</p> : <Loaded {...props} />;
  };
}
