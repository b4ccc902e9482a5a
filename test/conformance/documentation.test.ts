import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { documentationIssues } from './documentation';
import { runCase } from './runner';
import { chromiumLimits } from '../../src/model/limits';

describe('a case file', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-cases-'));
  const file = path.join(folder, 'case.json');
  afterAll(() => rmSync(folder, { recursive: true }));

  const source = (fields: object, info = {}): string =>
    JSON.stringify({
      timestamp: '0',
      registration_request: {
        context_origin: 'https://publisher.test',
        'Attribution-Reporting-Eligible': 'navigation-source',
      },
      responses: [
        {
          url: 'https://adtech.test/source',
          response: { ...info, 'Attribution-Reporting-Register-Source': fields },
        },
      ],
    });
  const write = (top: string, registration: string): void =>
    writeFileSync(
      file,
      `{ ${top} "input": { "registrations": [${registration}] }, "output": { "reports": [] } }`,
    );

  const documented = '\n// Why.\n"description": "What",\n';
  const good = source({ destination: 'https://shop.test' });

  it('with a description, a comment and valid headers is accepted', () => {
    write(documented, good);
    expect(documentationIssues(file)).toEqual([]);
  });

  it.each([
    ['a description', '\n// Why.\n', good, ['has no description']],
    ['a comment', '"description": "What",', good, ['has no comment']],
    [
      'a valid header',
      documented,
      source({ destination: 'ftp://shop.test' }),
      [expect.stringContaining('Attribution-Reporting-Register-Source: destination must be')],
    ],
    [
      'known header fields',
      documented,
      source({ destination: 'https://shop.test', expiri: '86400' }),
      [expect.stringContaining('Attribution-Reporting-Register-Source: expiri is not a known field')],
    ],
  ])('without %s is refused', (_, top, registration, issues) => {
    write(top, registration);
    expect(documentationIssues(file)).toEqual(issues);
  });

  it('may hold a header that is to be refused beside Attribution-Reporting-Info', () => {
    write(documented, source({}, { 'Attribution-Reporting-Info': 'report-header-errors' }));
    expect(documentationIssues(file)).toEqual([]);
  });

  it('with an unknown field of its own is refused', async () => {
    write(`${documented} "api_confg": {},`, good);
    await expect(runCase(file, chromiumLimits)).rejects.toThrow('api_confg: is not a known field');
  });
});
