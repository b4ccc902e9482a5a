import { render } from 'preact';
import { namePage } from './state/page';
import { Options } from './views/options/options';

namePage('options_title');
render(<Options />, document.body);
