import { render } from 'preact';
import { Dashboard } from './dashboard';

const root = document.getElementById('dashboard');
if (root !== null) {
  root.replaceChildren();
  render(<Dashboard icon={root.dataset['icon'] ?? ''} knowsTruth={root.dataset['truth'] === 'true'} />, root);
}
