import type { Site } from '../../../src/model/units';
import { siteOf } from '../../../src/model/site';
import { webOriginOfUrl } from '../../urls';

/** The sites that the text may mean; empty if none. A name without a scheme gets https and http, under which the log names some pages. */
export const sitesMeant = (text: string): readonly Site[] =>
  (text.includes('://') ? [text] : [`https://${text}`, `http://${text}`]).flatMap((url) => {
    const origin = webOriginOfUrl(url);
    return origin === null ? [] : siteOf(origin);
  });
