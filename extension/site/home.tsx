import type { JSX } from 'preact';
import { t } from '../i18n';
import { Card } from '../pages/ui/basics';

/** What the site is for, and where to begin. */
export const Home = (): JSX.Element => (
  <>
    <h1>{t('site_title')}</h1>
    <p class="lead">{t('site_what')}</p>
    <div class="cards wide">
      <Tool address="#/workbench" title={t('nav_workbench')} what={t('site_workbench_what')} />
      <Tool address="#/data" title={t('site_open')} what={t('site_open_what')} />
      <Tool address="#/estimates" title={t('site_estimates')} what={t('site_estimates_short')} />
      <Tool address="#/people" title={t('people')} what={t('people_short')} />
      <Tool address="#/toss" title={t('toss')} what={t('toss_short')} />
      <Tool address="#/know" title={t('know')} what={t('know_short')} />
      <Tool address="#/attacks" title={t('attacks')} what={t('attacks_short')} />
      <Tool address="#/cheating" title={t('cheating')} what={t('cheating_short')} />
      <Tool address="#/worlds" title={t('worlds')} what={t('worlds_short')} />
      <Tool address="comparison.html" title={t('comparison')} what={t('comparison_short')} />
      <Tool address="sets.html" title={t('sets')} what={t('sets_short')} />
    </div>
    <p class="soft small">{t('site_private')}</p>
  </>
);

const Tool = ({
  address,
  title,
  what,
}: {
  readonly address: string;
  readonly title: string;
  readonly what: string;
}): JSX.Element => (
  <Card>
    <h2>
      <a href={address}>{title}</a>
    </h2>
    <p>{what}</p>
  </Card>
);
