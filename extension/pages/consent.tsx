import { render } from 'preact';
import { language, t } from '../i18n';
import { Consent } from './views/consent/consent';

document.documentElement.lang = language;
document.title = t('consent_page_title');
render(<Consent />, document.body);
