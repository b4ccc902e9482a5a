import type { RecordedCheck } from '../../src/model/checks';
import type { AsRecorded } from '../../src/model/facts';
import { mistake, type Issue, type Mistake } from '../../src/model/mistakes';
import type { OldRow } from './old-row';

/** Until version 3 the log stored checks and debug conditions as sentences: they are kept as recorded. */
export function keepRecordedWords(entry: OldRow): OldRow {
  const decision = fieldsOf(entry['decision']);
  return {
    ...entry,
    warnings: listOf(entry['warnings']).map(recordedIssue),
    ...(entry['kind'] === 'refused' ? { errors: listOf(entry['errors']).map(recordedIssue) } : {}),
    ...(entry['kind'] === 'ignored' ? { reason: recordedMistake(entry['reason']) } : {}),
    checks: listOf(entry['checks']).map(recordedCheck),
    debug: listOf(entry['debug']).map(asRecorded),
    ...(decision['reason'] === 'source-privacy-budget'
      ? { decision: { kind: 'rejected', reason: decision['reason'], refusal: asRecorded(decision['limit']) } }
      : {}),
  };
}

function recordedIssue(issue: unknown): Issue {
  const { path, message } = fieldsOf(issue);
  return { ...recordedMistake(message), path: textOf(path) };
}

const recordedMistake = (sentence: unknown): Mistake => mistake('as-recorded', { text: textOf(sentence) });

function recordedCheck(check: unknown): RecordedCheck {
  const { name, passed, detail } = fieldsOf(check);
  return {
    id: 'as-recorded',
    passed: passed === true,
    values: { name: textOf(name), detail: textOf(detail) },
  };
}

const asRecorded = (words: unknown): AsRecorded => ({ id: 'as-recorded', text: textOf(words) });

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
