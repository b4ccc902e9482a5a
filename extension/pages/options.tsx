import { render } from 'preact';
import { Options } from './views/options';

render(<Options />, document.body);
