import type { JSX } from 'preact';
import type { Settings } from '../../../../formats/settings/settings';
import type { Overview } from '../../../messages';
import { words } from '../../../words';
import type { Reader } from '../../data/reader';
import type { Act } from '../../state/use-act';
import { EarlierLimits } from '../earlier-limits';

/** When what is promised about noise does not hold. */
export function Promised({
  overview,
  limits,
  reader,
  act,
}: {
  readonly overview: Overview;
  readonly limits: Settings['limits'];
  readonly reader: Reader;
  readonly act: Act;
}): JSX.Element | null {
  if (!overview.debug.noise) return null;
  const exception = words.exception({ limits });
  return (
    <>
      {exception !== null && (
        <p class="warn" id="limits">
          {exception}
        </p>
      )}
      <EarlierLimits reader={reader} now={overview.now} limits={limits} act={act} />
    </>
  );
}
