import { render } from 'preact';
import { liveReader } from './data/live-reader';
import { currentTab } from './state/current-tab';
import { namePage } from './state/page';
import { Popup } from './views/popup/popup';

async function start(): Promise<void> {
  const [reader, tab] = await Promise.all([liveReader(), currentTab()]);
  render(<Popup reader={reader} tab={tab} />, document.body);
}

namePage('extensionName');
void start();
