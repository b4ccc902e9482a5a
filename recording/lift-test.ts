import { readJsonText } from '../formats/codec/json-text';
import type { BudgetSettings } from '../src/model/mechanisms';
import type { Registration } from '../src/model/incoming-registration';
import type { Source } from '../src/model/records';
import { isJsonObject, type Json } from '../src/model/json';
import { siteOf, siteOfUrl } from '../src/model/site';
import type { Moment, Site } from '../src/model/units';
import { periodOf } from '../src/limits/joint-budget';
import type { RandomSource } from '../src/privacy/random-source';
import { uniformBelow } from '../src/privacy/uniform';

/*
 * A lift test whose arms the device draws: a function of its secret, so they are decided before the first ad. Neither pages nor servers are
 * told of them. A source says its arm in its filter data, which no report has; triggers choose their data by it (docs/lift.md).
 */

/** `exposed` sees the ads of the campaign. `holdout` sees others in their place: ghost ads. */
export const arms = ['exposed', 'holdout'] as const;

export type Arm = (typeof arms)[number];

export interface LiftTestSettings {
  /** The key of filter data whose value names the campaign of a source. Sources without it are in no test. See `canNameCampaign`. */
  readonly campaign: string;
  /** The share of the people who are held out, greater than 0 and less than 1, exact to a millionth. */
  readonly holdout: number;
}

/** What has arms. The names of two ad techs or advertisers have nothing to do with each other. */
export interface Campaign {
  readonly reportingSite: Site;
  readonly destination: Site;
  readonly name: string;
}

/** The device's randomness for a text: always the same. */
export type Lots = (text: string) => RandomSource;

/** The key of filter data that says the arm. */
const ARM = 'arm';

/** Whether sources can name their campaign by this key: the arm has its own, and sources give none that is reserved. */
export const canNameCampaign = (key: string): boolean =>
  key !== '' && key !== ARM && key !== 'source_type' && !key.startsWith('_');

const MILLION = 1_000_000;

/** The least share, and the least of the others. People read it in percent, with up to three digits. */
export const LEAST_SHARE = 0.001;

/**
 * The device's arm of a campaign. Each period of the budget draws anew: what reports tell of an arm is then charged to the period that has it.
 */
export function armOf(
  { holdout }: Pick<LiftTestSettings, 'holdout'>,
  budget: Pick<BudgetSettings, 'period'>,
  { reportingSite, destination, name }: Campaign,
  time: Moment,
  lots: Lots,
): Arm {
  const lot = lots(JSON.stringify([reportingSite, destination, name, periodOf(budget, time)]));
  const drawn = uniformBelow(lot, BigInt(MILLION));
  return drawn < BigInt(Math.round(holdout * MILLION)) ? 'holdout' : 'exposed';
}

/**
 * A view of a campaign's ad with its arm; every other registration as it is: nobody can click on a ghost ad. A source that names an arm keeps it:
 * an ad server drew that one. One with destinations of several sites is in no test, because their budgets would share an arm.
 */
export function withArm(
  registration: Registration,
  { campaign }: Pick<LiftTestSettings, 'campaign'>,
  armIn: (campaign: Campaign) => Arm,
): Registration {
  const { register, header, occasion } = registration;
  if (register.kind !== 'source' || register.sourceType !== 'event') return registration;
  const json = readJsonText(header).value;
  if (!isJsonObject(json)) return registration;
  const { filter_data: data = null, destination: to = null } = json;
  if (!isJsonObject(data) || Object.hasOwn(data, ARM) || !Object.hasOwn(data, campaign)) return registration;
  const name = onlyText(data[campaign] ?? null);
  const destination = onlySite(to);
  if (name === null || destination === null) return registration;
  const arm = armIn({ reportingSite: siteOf(occasion.reportingOrigin), destination, name });
  return { ...registration, header: JSON.stringify({ ...json, filter_data: { ...data, [ARM]: [arm] } }) };
}

/** A view of a test that is over: no filter of a trigger finds out its arm, whoever drew it. Null: it has none. */
export function withoutArm(source: Source): Source | null {
  const { registration, sourceType } = source;
  const [arm = '', ...others] = registration.filterData.get(ARM) ?? [];
  if (sourceType !== 'event' || others.length > 0 || !arms.some((one) => one === arm)) return null;
  // Without the key, filters for both arms would match.
  const filterData = new Map([...registration.filterData, [ARM, []]]);
  return { ...source, registration: { ...registration, filterData } };
}

/** A registration as a device records it, if there is a test. */
export const inLiftTest = (
  registration: Registration,
  { liftTest, budget }: { readonly liftTest: LiftTestSettings | null; readonly budget: BudgetSettings },
  lots: Lots,
): Registration =>
  liftTest === null
    ? registration
    : withArm(registration, liftTest, (campaign) =>
        armOf(liftTest, budget, campaign, registration.occasion.time, lots),
      );

/** A text, or that of a list of one. */
function onlyText(value: Json): string | null {
  const only = Array.isArray(value) && value.length === 1 ? (value[0] as Json) : value;
  return typeof only === 'string' ? only : null;
}

/** The site of a URL, or that of all in a list. */
function onlySite(value: Json): Site | null {
  const urls = Array.isArray(value) ? (value as readonly Json[]) : [value];
  const sites = new Set(urls.map((url) => (typeof url === 'string' ? siteOfUrl(url) : null)));
  const [site = null] = sites;
  return sites.size === 1 ? site : null;
}
