import type { Json } from '../../../src/model/json';
import type { Extractor, RecordingRule } from '../../../recording/recording-rule';
import type { Settings } from '../../../formats/settings/settings';
import { houseAd, purchase } from './campaigns';
import type { Origins } from './demo';

/** The demo's settings: the collector, and recording rules for the house ad and the purchase, whose pages send no headers. */
export const demoSettings = (origins: Origins, collectorOrigin: string): Partial<Settings> => ({
  collector: collectorOrigin,
  rules: [houseAdRule(origins), purchaseRule(origins)],
});

const houseAdRule = ({ publisher, adtech }: Origins): RecordingRule => ({
  id: 'daily-toss-house-ad',
  matches: [`${publisher}/*`],
  selector: '.house-ad',
  on: 'viewable',
  register: 'source',
  reportingOrigin: adtech,
  registration: {
    source_event_id: found({ selector: null, attribute: 'data-campaign', as: 'text' }),
    destination: found({ selector: null, attribute: 'href', as: 'origin' }),
    priority: houseAd.priority,
  },
});

const purchaseRule = ({ shop, adtech }: Origins): RecordingRule => ({
  id: 'heads-and-tails-purchase',
  matches: [`${shop}/thanks*`],
  selector: null,
  on: 'visit',
  register: 'trigger',
  reportingOrigin: adtech,
  registration: {
    event_trigger_data: [
      {
        trigger_data: purchase.byRule.triggerData,
        priority: purchase.byRule.priority,
        // A reload of the page is not another purchase.
        deduplication_key: found({ selector: '.receipt', attribute: 'data-receipt-number', as: 'text' }),
        value: found({ selector: '.order-total', attribute: null, as: 'money' }),
      },
    ],
  },
});

const found = (extractor: Extractor): Json => ({ $extract: { ...extractor } });
