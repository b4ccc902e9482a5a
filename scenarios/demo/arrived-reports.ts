import type { Extension } from '../kit';
import { isJsonObject, type Json } from '../../src/model/json';
import type { ArrivedReport } from './sites';

/** The event-level reports that the collector has taken, newest first, each with whether noise invented it. */
export async function arrivedReports(extension: Extension): Promise<readonly ArrivedReport[]> {
  const finished = await extension.finished();
  return finished.flatMap(({ end, report: { kind, body, event } }) => {
    if (end !== 'delivered' || kind !== 'event-level' || event === null || !isJsonObject(body)) return [];
    const {
      source_event_id: id,
      trigger_data: data,
      source_type: type,
      randomized_trigger_rate: rate,
    } = body;
    return [
      {
        sourceEventId: textIn(id),
        triggerData: textIn(data),
        isClick: type === 'navigation',
        randomizedRate: Number(rate),
        fake: event.fake,
      },
    ];
  });
}

const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
