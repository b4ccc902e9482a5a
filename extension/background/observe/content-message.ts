import {
  boolean,
  integer,
  list,
  choice,
  orNull,
  stringUpTo,
  type Parser,
} from '../../../formats/codec/codec';
import { Fields } from '../../../formats/codec/record';
import { requestEligibilities } from '../../eligibility-mark';
import { clickLacks, LONGEST_OPTIONS, LONGEST_URL, type ContentMessage } from '../../content-messages';

const MAX_URLS = 20;
const MAX_VALUE = 2000;

const kinds = [
  'eligible-request',
  'eligible-fetch',
  'wake',
  'link-pressed',
  'navigation',
  'ineligible-click',
  'attributionsrc',
  'trial-link',
  'activation',
  'attribution-call',
  'lift-ad',
  'rules',
  'rule-met',
] as const;

/** Parses what a content script says. */
export const contentMessage: Parser<ContentMessage> = (place) => {
  const fields = new Fields(place);
  const kind = fields.required('kind', choice(...kinds), 'rules');
  const url = (): string => fields.required('url', stringUpTo(LONGEST_URL), '');
  const urls = (name: string): readonly string[] =>
    fields.required(name, list(stringUpTo(LONGEST_URL), { max: MAX_URLS }), []);
  switch (kind) {
    case 'eligible-request':
      return { kind, url: url(), getsRule: fields.required('getsRule', boolean, false) };
    case 'eligible-fetch':
      return {
        kind,
        url: url(),
        eligibility: fields.required('eligibility', choice(...requestEligibilities), 'empty'),
      };
    case 'link-pressed':
    case 'trial-link':
      return { kind, url: url() };
    case 'navigation':
      return {
        kind,
        url: url(),
        sources: urls('sources'),
        press: fields.required('press', integer(0, Number.MAX_SAFE_INTEGER), 0),
        time: fields.required('time', integer(0, Number.MAX_SAFE_INTEGER), 0),
        inMenu: fields.required('inMenu', boolean, false),
      };
    case 'ineligible-click':
      return {
        kind,
        url: url(),
        lack: fields.required('lack', choice(...clickLacks), 'attribute'),
        time: fields.required('time', integer(0, Number.MAX_SAFE_INTEGER), 0),
        inMenu: fields.required('inMenu', boolean, false),
      };
    case 'attributionsrc':
      return { kind, urls: urls('urls') };
    case 'wake':
    case 'rules':
    case 'activation':
      return { kind };
    case 'attribution-call':
      return {
        kind,
        call: fields.required('call', choice('saveImpression', 'measureConversion'), 'saveImpression'),
        options: fields.required('options', orNull(stringUpTo(LONGEST_OPTIONS)), ''),
      };
    case 'lift-ad':
      return {
        kind,
        reportingOrigin: fields.required('reportingOrigin', stringUpTo(LONGEST_URL), ''),
        destination: fields.required('destination', stringUpTo(LONGEST_URL), ''),
        campaign: fields.required('campaign', stringUpTo(MAX_VALUE), ''),
      };
    case 'rule-met':
      return {
        kind,
        ruleId: fields.required('ruleId', stringUpTo(100), ''),
        values: fields.required('values', list(orNull(stringUpTo(MAX_VALUE)), { max: 100 }), []),
      };
  }
};
