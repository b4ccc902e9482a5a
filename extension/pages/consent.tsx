import { render } from 'preact';
import { language, t } from '../i18n';
import { linkOfPage } from './lib/trial-link';
import { Consent } from './views/consent';

document.documentElement.lang = language;
document.title = t('consent_page_title');
render(<Consent link={linkOfPage()} />, document.body);
