import { render } from 'preact';
import { namePage } from './state/page';
import { Options } from './views/options/options';

namePage('page_options');
render(<Options />, document.body);
