import type { Extractor } from '../../recording/recording-rule';
import { extract } from './recording/extract';

/*
 * Injected into a page only while a person tests a rule on it. It outlines what the rule matches for some seconds and returns it. It
 * records nothing.
 */

export interface RuleTest {
  readonly selector?: string | null;
  readonly extractors: readonly Partial<Pick<Extractor, 'selector' | 'attribute'>>[];
}

export type RuleTestResult =
  | {
      readonly kind: 'found';
      readonly count: number;
      readonly values: readonly (readonly (string | null)[])[];
    }
  | { readonly kind: 'failed'; readonly problem: string };

const OUTLINED = 6000;
const MOST = 50;

function testRule(test: RuleTest): RuleTestResult {
  try {
    // Chrome drops null values from the argument.
    const selector = test.selector ?? null;
    const extractors = test.extractors.map((one) => ({
      selector: one.selector ?? null,
      attribute: one.attribute ?? null,
    }));
    const elements = [...document.querySelectorAll(selector ?? ':root')];
    if (selector !== null) elements.forEach(outline);
    return {
      kind: 'found',
      count: elements.length,
      values: elements.slice(0, MOST).map((element) => extract(element, extractors)),
    };
  } catch (error) {
    return { kind: 'failed', problem: error instanceof Error ? error.message : String(error) };
  }
}

function outline(element: Element): void {
  if (!(element instanceof HTMLElement || element instanceof SVGElement)) return;
  const { outline: before } = element.style;
  element.style.outline = '3px solid #d08a00';
  setTimeout(() => (element.style.outline = before), OUTLINED);
}

Object.assign(globalThis, { cointossTestRule: testRule });
