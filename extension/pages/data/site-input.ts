import type { Site } from '../../../src/model/units';
import { siteOfUrl } from '../../../src/model/site';

/** The sites that the text may mean; empty if none. A name without a scheme gets https, and on localhost also http. */
export const sitesMeant = (text: string): readonly Site[] =>
  (text.includes('://') ? [text] : [`https://${text}`, `http://${text}`]).flatMap(
    (url) => siteOfUrl(url) ?? [],
  );
