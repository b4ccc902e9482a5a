import { sourceTypeOf } from '../../recording/rules';
import { replaceExtractors } from '../../recording/readings';
import type { Json } from '../../src/model/json';
import { chromiumLimits, type SourceType } from '../../src/model/limits';
import type { SourceRegistration } from '../../src/model/registration';
import type { Settings } from './settings';
import { parseSource } from '../registration/source';
import type { StatedRegistration } from './trial';

export interface RegisteredSource {
  readonly sourceType: SourceType;
  readonly registration: SourceRegistration;
}

/** The sources that recording rules register, and those that a trial states. Pages can register others. */
export const registeredSources = (
  { rules }: Pick<Settings, 'rules'>,
  stated: readonly StatedRegistration[],
): readonly RegisteredSource[] => [
  ...stated,
  ...rules.flatMap((rule) => {
    if (rule.register === 'trigger') return [];
    const sourceType = sourceTypeOf(rule);
    const { value } = parseSource(withPlaceholders(rule.registration), sourceType, chromiumLimits);
    return value === null ? [] : [{ sourceType, registration: value }];
  }),
];

/** Values read off a page affect neither ε nor the report space. */
const withPlaceholders = (template: Json): Json =>
  replaceExtractors(template, (_extractor, [field]) =>
    field === 'destination' ? 'https://destination.example' : '0',
  );
