import type { JSX } from 'preact';
import type { Issue } from '../../../formats/codec/mistakes';
import { t } from '../../i18n';
import { words } from '../../words';
import { Card } from './basics';

/** What is wrong in a header, and where. */
export const Problems = ({
  title,
  issues,
}: {
  readonly title: string;
  readonly issues: readonly Issue[];
}): JSX.Element => (
  <Card title={title}>
    <ul class="issues">
      {issues.map((issue) => (
        <li key={words.issueSentence(issue)}>
          <code>{issue.path === '' ? t('why_the_header') : issue.path}</code> {words.mistakeText(issue)}
        </li>
      ))}
    </ul>
  </Card>
);
