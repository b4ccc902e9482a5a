import type { Json } from '../../../src/model/json';
import type { Extractor, RecordingRule } from '../../../recording/recording-rule';
import type { Settings } from '../../../formats/settings/settings';
import { houseAd } from './campaigns';
import type { Origins } from './demo';

/** The demo's settings: the collector, and a recording rule for the house ad, which sends no header. */
export const demoSettings = (origins: Origins, collectorOrigin: string): Partial<Settings> => ({
  collector: collectorOrigin,
  rules: [houseAdRule(origins)],
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

const found = (extractor: Extractor): Json => ({ $extract: { ...extractor } });
