import { parse } from '../../../formats/codec/issues';
import { readJsonText } from '../../../formats/codec/json-text';
import type { OpenPayload, SealPayload } from '../../../formats/reports/sealed-payload';
import { Rational } from '../../../src/privacy/rational';
import type { RandomSource } from '../../../src/privacy/random-source';
import type { ApiLimits } from '../../../w3c/limits';
import { callerOf, type Call } from '../../../w3c/matching';
import { MemoryDocuments } from '../../../w3c/memory';
import { conversionOptions, impressionOptions } from '../../../w3c/options';
import { readReport, sealReport, type SealedReport } from '../../../w3c/report';
import { wordsBeside, type Words } from '../../audit/words';
import { AttributionApi } from '../attribution-api';
import { ServiceBatch } from '../service';
import { momentOf, START, type Bought, type Happening, type World } from './world';

export interface Circumstances {
  readonly limits: ApiLimits;
  /** Whether the device draws when its epochs start. */
  readonly drawsEpochs: boolean;
  /** Whose reports the observer gets; null: all. */
  readonly observer: string | null;
  /** With which ε the observer asks for sums; that of the conversions unless given. */
  readonly asked: number | null;
  /** Whether the observer hands in all reports together; else only those that can be added up. */
  readonly isTogether: boolean;
  /** How often the observer hands in each report. */
  readonly copies: number;
}

/** Sums that are published with noise of this scale. */
interface Sums {
  readonly scale: readonly [numerator: string, denominator: string];
  readonly sums: readonly number[];
}

/** What an observer gets: texts, and sums to which noise is added. */
export interface Seen {
  readonly text: string;
  readonly batches: readonly Sums[];
}

const KEY = { id: 'key', key: new Uint8Array() };
/** Of HPKE, beside the payload. */
const OVERHEAD = 48;

/** Runs a world through calls, budgets, credit, sealing, and what the aggregation service does before it adds noise. */
export async function observe(
  world: World,
  circumstances: Circumstances,
  random: RandomSource,
): Promise<Seen> {
  const words = wordsBeside(random);
  const device = new Device(circumstances, words);
  for (const happening of world) await device.run(happening);
  return device.seen();
}

class Device {
  private readonly api: AttributionApi;
  private readonly texts: string[] = [];
  /** Handed in together, with the same ε. */
  private readonly batches = new Map<string, ServiceBatch>();
  /** What was sealed, by the number in the sealed bytes: a perfect cipher. */
  private readonly payloads: Uint8Array[] = [];

  constructor(
    private readonly circumstances: Circumstances,
    private readonly words: Words,
  ) {
    const { limits, drawsEpochs } = circumstances;
    const state = { epochStart: drawsEpochs ? null : START, lastClear: null, calls: 0 };
    this.api = new AttributionApi(limits, () => words, new MemoryDocuments(state));
  }

  async run(happening: Happening): Promise<void> {
    const { api } = this;
    const time = momentOf(happening);
    switch (happening.kind) {
      case 'impression': {
        const { site, options } = happening;
        const call = { time, topLevelSite: site, intermediarySite: null };
        api.saveImpression(call, valid(parse(options, impressionOptions(this.circumstances.limits))));
        return;
      }
      case 'conversion':
        return this.measure(happening, {
          time,
          topLevelSite: happening.site,
          intermediarySite: happening.caller,
        });
      case 'clear-site-data':
        for (const site of happening.sites) api.clearImpressionsForSite(site);
        return;
      case 'forget-site-data':
      case 'erase':
        api.clearBrowsingHistory(time, new Set(happening.sites), happening.kind === 'erase');
        return;
      case 'pause':
        api.enabled = false;
    }
  }

  seen(): Seen {
    const batches = [...this.batches].sort(([one], [other]) => (one < other ? -1 : 1));
    const texts = batches.map(([key, { rejected }]) => `${key}: ${JSON.stringify([...rejected])}`);
    return {
      text: [...this.texts, ...texts].join('; '),
      batches: batches.map(([, batch]) => {
        const { sums, scale } = batch.beforeNoise();
        return { scale: [String(scale.numerator), String(scale.denominator)], sums };
      }),
    };
  }

  private async measure({ options }: Bought, call: Call): Promise<void> {
    const asked = valid(parse(options, conversionOptions(this.circumstances.limits)));
    const { histogram } = this.api.measureConversion(call, asked);
    const bytes = await sealReport(histogram, call, asked, KEY, this.seal, this.words);
    const text = new TextDecoder().decode(bytes);
    const report = valid(readReport(readJsonText(text).value ?? null));
    const { observer, copies, isTogether } = this.circumstances;
    if (observer !== null && observer !== callerOf(call)) return;
    this.texts.push(`${call.time}: ${this.shown(report)}`);
    const epsilon = Rational.of(this.circumstances.asked ?? asked.epsilon);
    const { collector, budgetSource, length, maxValue } = report.context;
    const task = isTogether ? [] : [collector, budgetSource, length, maxValue];
    const key = JSON.stringify([...task, epsilon.toString()]);
    const batch = this.batches.get(key) ?? new ServiceBatch(epsilon, new Map([[KEY.id, KEY.key]]), this.open);
    this.batches.set(key, batch);
    for (let copy = 0; copy < copies; copy++) await batch.add(report);
  }

  /** All that can be read of a report: its context, and how long it is. */
  private shown({ contextText, keyId, sealed, context: { reportId } }: SealedReport): string {
    return `${contextText.replace(reportId, this.words.seen(reportId))} ${keyId} ${sealed.length}`;
  }

  private readonly seal: SealPayload = (payload) => {
    const sealed = new Uint8Array(OVERHEAD + payload.length);
    new DataView(sealed.buffer).setUint32(0, this.payloads.push(payload) - 1);
    return sealed;
  };

  private readonly open: OpenPayload = (sealed) =>
    this.payloads[new DataView(sealed.buffer, sealed.byteOffset).getUint32(0)] ?? null;
}

function valid<T>({ value, errors }: { readonly value: T | null; readonly errors: readonly unknown[] }): T {
  if (value === null) throw new RangeError(`a world of the audit is not valid: ${JSON.stringify(errors)}`);
  return value;
}
