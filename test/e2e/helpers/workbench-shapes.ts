import type { Page } from 'puppeteer-core';
import type { Json, JsonObject } from '../../../src/model/json';
import { toBase64Url } from '../../../formats/codec/base64-url';
import { clipboardOf, fill, press, shown, typeInto } from './internals';

/** A view of a page of the extension, and what a person does there. */
export interface Visit {
  /** The fragment of its address. */
  readonly view: string;
  readonly act?: (page: Page, n: number) => Promise<unknown>;
}

const encoded = (text: string): string => toBase64Url(new TextEncoder().encode(text));

/** A link to the workbench with two drafts. */
const benchOf = (as: string, draft: Json): string => {
  const json = encoded(JSON.stringify(draft));
  return `#/workbench?as=${as}&json=${json}&kept-as=${as}&kept-json=${json}`;
};

const draftSource = (n: number): Json => ({
  destination: 'https://shop.example',
  event_report_windows: { end_times: [3600, 86_400] },
  max_event_level_reports: 2,
  unknown: Array<number>(n).fill(0),
  filter_data: { x: Array.from({ length: n }, (_, index) => String(index)) },
});

async function useBench(page: Page, n: number): Promise<void> {
  await page.waitForSelector('.cm-content');
  await press(page, '#swap');
  for (const [knob, value] of Object.entries({ windows: 2, triggerData: 2, buckets: 1, epsilon: 2 }))
    await fill(page, `#knob-${knob}`, String(value));
  await page.evaluate(() => {
    const key = new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true });
    document.querySelector('.window-bar .handle')?.dispatchEvent(key);
  });
  await fill(page, '#state-number', '1');
  await press(page, 'button.cell');
  await clipboardOf(page, '#copy-markdown');
  await typeInto(page, '#registration', `{"unknown": "1", ${'x'.repeat(n)}`);
  await shown(page);
  await typeInto(page, '#registration', `{"unknown": "${'x'.repeat(n)}", "event_level`);
  await page.waitForSelector('.cm-tooltip-autocomplete');
}

/** Links to the workbench with drafts of this size. */
export const drafts = (n: number): readonly Visit[] => [
  { view: benchOf('navigation', { ...(draftSource(n) as JsonObject), filter_data: {} }), act: useBench },
  { view: benchOf('navigation', draftSource(n)) },
  {
    view: benchOf('trigger', {
      event_trigger_data: Array.from({ length: 2 * n }, () => ({ trigger_data: 'x' })),
    }),
  },
];
