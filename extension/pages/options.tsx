import { render } from 'preact';
import { namePage } from './lib/page';
import { Options } from './views/options';

namePage('page_options');
render(<Options />, document.body);
