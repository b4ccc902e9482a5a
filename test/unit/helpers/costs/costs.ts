import { deflateRawSync } from 'node:zlib';
import { parse } from '../../../../formats/codec/issues';
import { addressSpace } from '../../../../extension/background/state/address-space';
import {
  containerPolicy,
  declaredPolicy,
  stricter,
} from '../../../../extension/background/documents/permissions-policy';
import { initiatorOrigin, textOf } from '../../../../extension/background/documents/request-details';
import { destinationsInHeader, mentions } from '../../../../extension/erasing/named-sites';
import { unpackFile } from '../../../../extension/pages/data/file-link';
import { toCsv } from '../../../../extension/pages/tables/export';
import { filterItems, selectionFrom, sortItems } from '../../../../extension/pages/tables/select';
import { sitesMeant } from '../../../../extension/pages/data/site-input';
import { completionsAt, rangeOf } from '../../../../extension/pages/explain/fields';
import { jsonOr, markdown } from '../../../../extension/pages/explain/markdown';
import { benchOfLink, check } from '../../../../extension/pages/explain/workbench';
import { fromBase64Url, toBase64Url } from '../../../../formats/codec/base64-url';
import { parseRoute } from '../../../../extension/pages/state/route';
import {
  fitted,
  fittedOrigin,
  leastOriginWidth,
  leastWidth,
  neededWidth,
} from '../../../../extension/pages/ui/fit';
import { estimatesFrom } from '../../../../extension/site/estimates-from';
import { shortened, withoutFragment } from '../../../../extension/urls';
import { AlikeRows } from '../../../../analysis/estimate/join/alike-rows';
import { SourceRows } from '../../../../analysis/estimate/join/source-rows';
import { columnsOfPath } from '../../../../cli/io/file-row';
import { cellText } from '../../../../cli/io/file-row';
import { decodePayload } from '../../../../formats/reports/aggregatable-payload';
import { markIn, withoutMark } from '../../../../extension/eligibility-mark';
import { namesText } from '../../../../cli/io/input';
import { textOf as bodyText } from '../../../../collector/http/refusal';
import { wantedLanguage } from '../../../../collector/dashboard/languages';
import { viewFrom } from '../../../../collector/dashboard/client/address';
import { escaped } from '../../../../analysis/report/figure-svg';
import { clearsImpressions, parseMeasureConversion, parseSaveImpression } from '../../../../w3c/headers';
import { defaultLimits } from '../../../../w3c/limits';
import { impressionOptions } from '../../../../w3c/options';
import { readReport } from '../../../../w3c/report';
import { siteNameOf } from '../../../../w3c/site-name';
import { readCommentedJson } from '../../../../formats/codec/commented-json';
import { withFormula, withoutFormula } from '../../../../formats/csv/formulas';
import { RowError } from '../../../../node/lines';
import { jsonOf, placesOf } from '../../../../node/rows';
import { armOf, withArm } from '../../../../recording/lift-test';
import { parseMatchPattern } from '../../../../recording/match-pattern';
import { readJsonText } from '../../../../formats/codec/json-text';
import { readInvitation } from '../../../../formats/tokens/issuance';
import { readToken } from '../../../../formats/tokens/token';
import { originOfUrl } from '../../../../src/model/origin';
import { siteOfUrl } from '../../../../src/model/site';
import { Rational } from '../../../../src/privacy/rational';
import type { Json } from '../../../../src/model/json';
import { bare } from '../../../../extension/pages/words/words';
import { english } from '../../../../words/english';
import { fuzzedParsers } from '../fuzz/parsers';
import { lotsOf } from '../../../../analysis/random/sources';
import { sourceRegistration, START } from '../engine';
import { rowCosts } from './row-costs';
import { grownJson, repeated, shapes, type Shape } from './shapes';

/** A function that reads what others supplied. */
export interface Cost {
  readonly run: (text: string) => unknown;
  /** In characters, if its callers let less through than 2 MB. */
  readonly largest?: number;
  /** Instead of all. */
  readonly shapes?: Readonly<Record<string, Shape>>;
  /** What nearly fits it, beside what grows for all. */
  readonly nearly?: Readonly<Record<string, Shape>>;
}

const MEGABYTES_2 = 2_000_000;
const MOST_ROWS = 256_000;
/** As canvases: linear in the text. */
const widthOf = (text: string): number => 7 * text.replace(/\d/g, '0').length;
const room = { width: 300, lines: 2 } as const;
const item = (text: string) => ({ id: 1, cells: [text], text, truthText: text, sites: [] });
const columns = [{ key: 'what', index: 0 }];

/** What was refused, as its caller does. */
const orRefused =
  (run: (text: string) => unknown, Refused: new (...given: never) => Error) =>
  (text: string): unknown => {
    try {
      return run(text);
    } catch (error) {
      if (error instanceof Refused) return null;
      throw error;
    }
  };

const marks = {
  signs: repeated('#'),
  names: repeated('.attribution-reporting=trigger', 'https://a.example/#'),
  'an honest one': repeated('a', 'https://a.example/#', `#${'0'.repeat(32)}.attribution-reporting=trigger`),
};

const LOGGED =
  '{"source_event_id":"1","time":"2026-01-01T00:00:00Z","reporting_origin":"https://ads.example","destination":"https://shop.example","source_type":"event","epsilon":1,"registration":{"priority":"1"},"arm":"red"}';
/** One that grows instead of some text of this line. */
const logged = (text: string, piece: string): Shape => {
  const [before = '', after = ''] = LOGGED.split(text);
  return repeated(piece, before, after);
};

/** Reads what is like this line. */
function readerOfAlike(): (text: string) => unknown {
  const rows = new SourceRows(['arm']);
  const json = JSON.parse(LOGGED) as Json;
  rows.parse(json);
  const alike = new AlikeRows(rows);
  alike.add(LOGGED, json);
  return (text) => alike.parse(text);
}

/** Functions of a text that a page, a server, a link, a file or a person supplied, by where the text comes from. */
export const costs: Readonly<Record<string, Cost>> = {
  // URLs: of requests and their makers, in elements and messages, of documents.
  originOfUrl: { run: originOfUrl },
  siteOfUrl: { run: siteOfUrl },
  initiatorOrigin: {
    run: (text) => initiatorOrigin({ documentUrl: text }),
    nearly: { blobs: repeated('blob:') },
  },
  withoutFragment: { run: withoutFragment },
  markIn: { run: markIn, nearly: marks },
  withoutMark: { run: withoutMark, nearly: marks },
  'shortened URLs': { run: shortened },
  addressSpace: { run: (text) => (URL.canParse(text) ? addressSpace(text) : null) },
  siteNameOf: { run: siteNameOf },
  sitesMeant: { run: sitesMeant },
  'URLs without what goes without saying': {
    run: bare,
    nearly: { loopback: repeated('a', 'http://', '.localhostx'), names: repeated('a.localhost', 'http://') },
  },
  'match patterns on a URL': {
    run: (text) =>
      ['*://*.a.example:8080/*a*b*c', 'https://a.example/a*#*/'].map((one) =>
        parseMatchPattern(one)?.matches(text),
      ),
    nearly: {
      'as it begins': repeated('ab', 'https://a.example:8080/'),
      stars: repeated('a*', 'https://a.example/'),
    },
  },
  'match patterns': {
    run: (text) => parseMatchPattern(text)?.matches('https://a.example/aaaaaaab'),
    nearly: {
      stars: repeated('*', 'https://a.example/'),
      hosts: repeated('*.', 'https://', '/'),
      ports: repeated(':8', 'https://a'),
    },
  },
  // Headers, and attributes of frames.
  'bytes of a header': { run: (text) => textOf({ name: 'a', value: text }) },
  'headers of W3C Attribution': {
    run: (text) => [parseSaveImpression(text), parseMeasureConversion(text), clearsImpressions(text)],
    nearly: {
      members: repeated('a, ', 'histogram-index=1, '),
      sites: repeated('"a.example" ', 'histogram-index=1, conversion-sites=('),
      types: repeated('"cookies", '),
    },
  },
  'options of W3C Attribution': {
    run: (text) =>
      parse({ histogramIndex: 1, conversionSites: [text] }, impressionOptions(defaultLimits)).errors.length,
  },
  'reports of W3C Attribution': {
    run: (text) => readReport({ context: text, key_id: text, payload: text }).errors.length,
  },
  declaredPolicy: { run: (text) => declaredPolicy(text, 'https://a.example') },
  containerPolicy: {
    run: (text) => {
      const policy = containerPolicy(text, 'https://a.example', 'https://a.example/x');
      return stricter(policy, policy);
    },
    nearly: {
      directives: repeated('attribution-reporting;'),
      origins: repeated('https://a.example ', 'attribution-reporting '),
      spaces: repeated(' \t', 'attribution-reporting'),
    },
  },
  destinationsInHeader: {
    run: destinationsInHeader,
    nearly: { many: (size) => JSON.stringify({ destination: Array(size >> 3).fill('a://b') }) },
  },
  mentions: {
    run: (text) => mentions({ header: text }, ['https://shop.example']),
    nearly: {
      hosts: repeated('shop.exampl', 'shop.example'),
      joined: repeated('shop.example'),
      encoded: repeated('%2f', 'shop.example'),
    },
  },
  wantedLanguage: {
    run: wantedLanguage,
    nearly: { weights: repeated('en;q=0.1,'), spaces: repeated(' ', 'en;q=1', 'x') },
  },
  'a source in a lift test': {
    run: (text) =>
      withArm({ ...sourceRegistration({}, 'event'), header: text }, { campaign: 'campaign' }, (campaign) =>
        armOf({ holdout: 0.5 }, { period: 7 }, campaign, START, lotsOf('secret')),
      ),
    nearly: {
      'a long name': (size) =>
        JSON.stringify({ destination: 'https://a.example', filter_data: { campaign: 'a'.repeat(size) } }),
      'many destinations': (size) =>
        JSON.stringify({ destination: Array(size >> 3).fill('a://b'), filter_data: { campaign: 'a' } }),
      'many keys': (size) => {
        const keys = Array.from({ length: size >> 3 }, (_, key) => [String(key), []] as const);
        return JSON.stringify({
          destination: 'https://a.example',
          filter_data: { campaign: 'a', ...Object.fromEntries(keys) },
        });
      },
    },
  },
  // Payloads of sealed reports, which anybody can seal.
  decodePayload: {
    run: (text) => decodePayload(Buffer.from(text, 'latin1'), 'attribution-reporting'),
    nearly: {
      'nested lists': repeated('\u0081'),
      'nested maps': repeated('\u00a1\u0061a'),
      'lists of unknown length': repeated('\u009f'),
      'pieces of a byte string': repeated('\u0041a', '\u005f', '\u00ff'),
      tags: repeated('\u00c1'),
    },
  },
  // JSON.
  readToken: {
    run: readToken,
    nearly: { spaces: repeated(' ', 'PrivateToken'), 'a long one': repeated('A', 'PrivateToken token="') },
  },
  readInvitation: { run: readInvitation, nearly: { dashes: repeated('- ') } },
  readJsonText: {
    run: (text) => english.issuesText(readJsonText(text).warnings),
    nearly: {
      'repeated fields': repeated('"a":0,', '{', '"a":0}'),
      'repeated fields in an object': repeated('"a":0,', `{"${'k'.repeat(50)}":{`, '"a":0}}'),
      'numbers no double holds': repeated('1e999,', '[', '1e999]'),
      'an open text': repeated('x', '"'),
      'a mistake at the end': repeated('1,', '[', 'x]'),
      'lines and a mistake': repeated('\n', '[', 'x]'),
    },
  },
  readCommentedJson: {
    run: (text) => readCommentedJson(text).value,
    nearly: { comments: repeated('//\n'), open: repeated('/*'), texts: repeated('"//",') },
  },
  'lines of JSON': { run: orRefused((value) => jsonOf({ line: 1, value }), RowError) },
  'JSON in Markdown': { run: (text) => markdown({ title: '', facts: [], json: jsonOr(text) }) },
  // Addresses and links of pages.
  parseRoute: { run: (text) => parseRoute(`#/${text}`) },
  selectionFrom: {
    run: (text) => selectionFrom(parseRoute(`#/log?${text}`).parameters, null),
    nearly: { facets: repeated('is.a=b&') },
  },
  viewFrom: { run: viewFrom, nearly: { facets: repeated('is.a=b&') } },
  unpackFile: {
    run: (text) => unpackFile(text).catch(() => null),
    shapes: {
      'stored blocks': (size) => toBase64Url(deflateRawSync('ab'.repeat(size / 3), { level: 0 })),
      zeros: repeated('A'),
    },
  },
  fromBase64Url: { run: fromBase64Url, nearly: { ends: repeated('=', 'AA') } },
  toBase64Url: { run: (text) => toBase64Url(new TextEncoder().encode(text)) },
  benchOfLink: {
    run: benchOfLink,
    nearly: { links: repeated('#/workbench?'), parameters: repeated('json=e30&', 'x#/workbench?') },
  },
  'drafts of the workbench': { run: (text) => check({ as: 'navigation', text }) },
  // What pages show, search and export.
  neededWidth: { run: (text) => neededWidth(text, 2, widthOf) },
  fitted: { run: (text) => fitted(text, room, widthOf) },
  'fitted in a line': { run: (text) => fitted(text, { ...room, lines: 1 }, widthOf) },
  fittedOrigin: { run: (text) => fittedOrigin(text, room, widthOf) },
  'least widths': { run: (text) => [leastWidth(text, widthOf), leastOriginWidth(text, widthOf)] },
  markdown: {
    run: (text) => markdown({ title: text, facts: [], json: text }),
    nearly: { fences: repeated('```a') },
  },
  completionsAt: {
    run: (text) => [
      completionsAt('navigation', text, text.length),
      completionsAt('trigger', text, text.length >> 1),
    ],
    nearly: { 'an open name': repeated('a', '{"'), 'a name without quotes': repeated('a', '{', '-') },
  },
  rangeOf: { run: (text) => rangeOf(text, 'a.a[0].a') },
  toCsv: {
    run: (text) => toCsv([{ key: 'what' }], text.split(/[ ,]/).map(item), [{ key: 'what' }]),
  },
  'filter and sort': {
    run: (text) => {
      const items = text.split(/[ ,]/).map(item);
      const selection = { query: text.slice(0, 100), facets: new Map(), site: null };
      return filterItems(
        sortItems(items, columns, { sort: 'what', descending: true }),
        columns,
        selection,
        true,
      );
    },
  },
  'escaped in SVG and HTML': { run: escaped },
  // Rows and options of commands; what is posted to the collector.
  withFormula: {
    run: (text) => withFormula(withoutFormula(text)),
    nearly: { quotes: repeated(`;'"`), formulas: repeated(';=') },
  },
  placesOf: { run: (text) => placesOf(text.split(',')) },
  cellText: { run: cellText },
  namesText: { run: (text) => namesText(text.split(',')) },
  // Longer paths are refused by every system.
  columnsOfPath: { run: columnsOfPath, largest: 4096, nearly: { columns: repeated('a=b/') } },
  'Rational.parse': {
    run: (text) => Rational.parse(text),
    nearly: {
      decimals: repeated('0', '0.', '1'),
      fraction: repeated('3', '1/'),
      'another end': repeated('9', '', 'x'),
    },
  },
  'bodies of requests': { run: (text) => bodyText(Buffer.from(text), 'it') },
  'lines of a source log like one before': {
    run: readerOfAlike(),
    nearly: {
      'a column': logged('red', 'a'),
      'an escaped column': logged('red', '\\\\"'),
      'a number': logged('"red"', '1'),
      spaces: logged('"red"', ' '),
      'open brackets': logged('"https://shop.example"', '['),
      'brackets in brackets': logged('{"priority":"1"}', '[[[{}]]]'),
      'strings in brackets': logged('"1"}', '"",'),
      'a bare word': logged('"event"', 'a '),
    },
  },
  'source logs and reports on the site': {
    run: orRefused((text) => estimatesFrom(text, text, []), Error),
    nearly: {
      lines: repeated('{}\n'),
      'no JSON': repeated('\n', '', 'x'),
      'a table': repeated('1,"2"\n', 'a,b\n'),
      'quotes in a cell': repeated('""', 'a,b\n1,"', '"\n'),
    },
  },
};

/** One measurement: a function with inputs of one shape. */
export interface Case {
  readonly name: string;
  readonly run: (input: unknown) => unknown;
  /** About so much of it. */
  readonly shape: (size: number) => unknown;
  readonly largest: number;
}

/** Its shapes make texts. */
export const ofText = (run: Cost['run']): Case['run'] => run as Case['run'];

/** Every function of the list, and every fuzzed parser, with every shape, or `one` of so many; the next function has the next ones. */
export function casesOf(largest: number, one = 1): readonly Case[] {
  const some = <T>(all: readonly T[], place: number): readonly T[] =>
    all.filter((_, index) => (index + place) % one === 0);
  const ofTexts = Object.entries(costs).flatMap(
    ([name, { run, nearly = {}, largest: most = MEGABYTES_2 }], place) =>
      [...some(Object.entries(shapes), place), ...Object.entries(nearly)].map(([shape, make]) => ({
        name: `${name}: ${shape}`,
        run: ofText(run),
        shape: make,
        largest: Math.min(most, largest),
      })),
  );
  const ofJson = Object.entries(fuzzedParsers).flatMap(([name, { seeds, read }], place) => {
    const own = typeof seeds[0] === 'string' ? Object.entries(shapes) : grownJson(seeds);
    return some(own, place).map(([shape, make]) => ({
      name: `${name}: ${shape}`,
      run: ofText(read),
      shape: make,
      // Headers have at most 128 KiB, what a collector takes 8 or 64 KiB.
      largest: largest / 4,
    }));
  });
  const ofRows = Object.entries(rowCosts).flatMap(([name, { run, shapes: own, perCharacter }]) =>
    Object.entries(own).map(([shape, make]) => ({
      name: `${name} ${shape}`,
      run,
      shape: (size: number) => make(size * perCharacter),
      largest: Math.min(largest, MOST_ROWS / perCharacter),
    })),
  );
  return [...ofTexts, ...ofJson, ...ofRows];
}
