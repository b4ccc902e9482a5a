import type { Site } from '../../../src/model/units';
import { siteOfUrl } from '../../../src/parsing/origin';

/** The sites that a person may mean: a name without a scheme is of https, on localhost also of http. Empty when it names none. */
export const sitesMeant = (text: string): readonly Site[] =>
  (text.includes('://') ? [text] : [`https://${text}`, `http://${text}`]).flatMap(
    (url) => siteOfUrl(url) ?? [],
  );
