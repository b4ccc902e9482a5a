import { readFileSync } from 'node:fs';
import { readJson } from '../../cli/io/input';
import { chromiumLimits } from '../../src/model/limits';
import type { Json, JsonObject } from '../../src/model/json';
import { parseJsonHeader, REGISTER_SOURCE, REGISTER_TRIGGER } from '../../formats/registration/header';
import { INFO } from '../../recording/structured-headers';
import type { Parsed } from '../../formats/codec/issues';
import { parseSource } from '../../formats/registration/source';
import { parseTrigger } from '../../formats/registration/trigger';
import { english } from '../../words/english';

interface Document {
  readonly description?: string;
  readonly input: {
    readonly registrations: readonly {
      readonly timestamp: string;
      readonly registration_request?: { readonly 'Attribution-Reporting-Eligible'?: string };
      readonly responses?: readonly { readonly response: JsonObject }[];
    }[];
  };
}

/**
 * Finds what makes a case file unclear or keeps it from testing what it intends. A typo in a header would be ignored silently, and an
 * expectation of no report would hold for the wrong reason.
 */
export function documentationIssues(file: string): string[] {
  const issues: string[] = [];
  const document = readJson(file) as unknown as Document;
  if ((document.description ?? '').trim() === '') issues.push('has no description');
  if (!/^\s*\/\/ \S/m.test(readFileSync(file, 'utf8'))) issues.push('has no comment');
  for (const { timestamp, registration_request: request, responses } of document.input.registrations) {
    const navigation = request?.['Attribution-Reporting-Eligible']?.includes('navigation-source') ?? false;
    for (const { response } of responses ?? []) {
      for (const problem of headerProblems(response, navigation)) issues.push(`${timestamp}: ${problem}`);
    }
  }
  return issues;
}

function headerProblems(response: JsonObject, navigation: boolean): string[] {
  // A response that should be refused also has the header that asks for reports on header errors.
  const meantToBeRefused = response[INFO] !== undefined;
  return [REGISTER_SOURCE, REGISTER_TRIGGER].flatMap((name) => {
    const header = response[name];
    if (header === undefined) return [];
    const json = parseJsonHeader(text(header)).value;
    const parsed: Parsed<unknown> =
      name === REGISTER_SOURCE
        ? parseSource(json, navigation ? 'navigation' : 'event', chromiumLimits)
        : parseTrigger(json, chromiumLimits);
    const unknown = parsed.warnings.filter(({ code }) => code === 'unknown-field');
    const refused = meantToBeRefused ? [] : parsed.errors;
    return [...unknown, ...refused].map((issue) => `${name}: ${english.issueSentence(issue)}`);
  });
}

const text = (header: Json): string => (typeof header === 'string' ? header : JSON.stringify(header));
