import german from '../../_locales/de/checks.json';
import english from '../../_locales/en/checks.json';
import { readersTranslator } from '../../translator';

/** What the engine's checks counted: the English sentences are what it says, those of a language what stands for them there. */
export type CheckDetails = Readonly<Record<keyof typeof english, string>>;

/** What a check counted, in the reader's language. */
export const detailText = readersTranslator<keyof CheckDetails>(english, { de: german });
