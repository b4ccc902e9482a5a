import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../../i18n';
import { useSession } from '../lib/session';

const Loading = (): JSX.Element => <p class="soft">{t('loading')}</p>;

/**
 * A component whose code is loaded when it is first shown.
 * @param Meanwhile what is shown until then
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Meanwhile: (props: Props) => JSX.Element = Loading,
): (props: Props) => JSX.Element {
  return function Later(props) {
    const [Loaded, setLoaded] = useState<ComponentType<Props> | null>(null);
    const { act } = useSession();
    useEffect(() => act(async () => setLoaded(await load().then((view) => () => view))), []);
    return Loaded === null ? <Meanwhile {...props} /> : <Loaded {...props} />;
  };
}
