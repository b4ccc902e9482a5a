import type { Origin } from '../../../src/model/units';
import type { Documents } from '../documents/documents';
import type { Navigations } from '../documents/navigations';

export interface SourcesFirstParts {
  readonly documents: Pick<Documents, 'tabsOf'>;
  readonly navigations: Pick<Navigations, 'openerOf'>;
  readonly ownRequests: { navigationSourcesSettled(tabs: readonly number[]): Promise<void> };
}

/** Where a conversion is asked for. */
interface Asking {
  readonly tabId: number;
  /** Of a worker, which is in no tab. */
  readonly documentOrigin: Origin | null;
}

/**
 * Resolves once the sources of the clicks that led here are answered, or after a timeout. Every conversion waits for it, however it is asked
 * for (ARA, "maybe defer and then complete trigger attribution").
 */
export async function sourcesFirst(
  { documents, navigations, ownRequests }: SourcesFirstParts,
  { tabId, documentOrigin }: Asking,
): Promise<void> {
  // A worker is in no tab, but its documents are.
  const tabs = tabId < 0 ? documents.tabsOf(documentOrigin) : [tabId];
  const clicked = tabs.flatMap((tab) => [tab, navigations.openerOf(tab) ?? tab]);
  await ownRequests.navigationSourcesSettled(clicked);
}
