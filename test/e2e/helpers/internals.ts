import type { Page } from 'puppeteer-core';
import { waitFor, type Extension } from '../../../scenarios/kit';

/** Goes to a view of the open internals page. */
export const goTo = (page: Page, address: string): Promise<void> =>
  page.evaluate((hash) => void (location.hash = hash), address);

/** The internals page at a view, once it shows this. */
export async function openView(extension: Extension, address: string, awaited: string): Promise<Page> {
  const page = await extension.page();
  await page.bringToFront();
  await goTo(page, address);
  await page.waitForSelector(awaited);
  return page;
}

/** The text of a visible element; null when there is none. */
export const textOf = (page: Page, selector: string): Promise<string | null> =>
  page.evaluate((of) => {
    const element = document.querySelector(of);
    return element === null || element.closest('[hidden]') !== null ? null : element.textContent;
  }, selector);

/** Resolves once the element shows this; spaces that keep lines together are as others. Pages update by themselves when the background changes. */
export async function shows(page: Page, selector: string, expected: string | null | RegExp): Promise<void> {
  let last: string | null = null;
  const asExpected = async (): Promise<boolean> => {
    last = (await textOf(page, selector))?.replaceAll('\u00a0', ' ') ?? null;
    return expected instanceof RegExp ? expected.test(last ?? '') : last === expected;
  };
  await waitFor(`${selector} to show ${String(expected)}`, asExpected).catch(() => {
    throw new Error(`${selector} must show ${String(expected)}, shows ${String(last)}`);
  });
}

/**
 * Clicks without a screen position, because the tab may be hidden. Waits as a person must: a button that decides does nothing before it has
 * been at its place for a second.
 */
export async function press(page: Page, selector: string): Promise<void> {
  await waitFor(`${selector} to take a press`, () =>
    page.evaluate((of) => {
      const element = document.querySelector<HTMLElement>(of);
      if (element === null) throw new Error(`there is no ${of} to press`);
      if (element.ariaDisabled === 'true') return false;
      // It may have moved since it last looked. Then it refuses the press, and waits anew.
      const refused: boolean[] = [];
      addEventListener('click', (event) => refused.push(event.defaultPrevented), { once: true });
      element.click();
      return !(refused.includes(true) && element instanceof HTMLButtonElement);
    }, selector),
  );
}

/** Sets a field's text, with the events of typing and leaving it. */
export const fill = (page: Page, selector: string, text: string): Promise<void> =>
  page.evaluate(
    (of, value) => {
      const field = document.querySelector<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>(of);
      if (field === null) throw new Error(`there is no ${of} to fill`);
      field.value = value;
      field.dispatchEvent(new Event('input', { bubbles: true }));
      field.dispatchEvent(new Event('change', { bubbles: true }));
    },
    selector,
    text,
  );

/** Replaces an editor's whole content by typing, once it is there. */
export async function typeInto(page: Page, selector: string, text: string): Promise<void> {
  await waitFor(selector, () => page.$(selector));
  await page.evaluate(
    (of, typed) => {
      const editor = document.querySelector<HTMLElement>(of);
      if (editor === null) throw new Error(`there is no ${of} to type into`);
      editor.focus();
      getSelection()?.selectAllChildren(editor);
      // oxlint-disable-next-line typescript/no-deprecated -- the one way to type that needs no focus of the window
      document.execCommand('insertText', false, typed);
    },
    selector,
    text,
  );
}

export const choose = (page: Page, selector: string, content: string): Promise<void> =>
  page.evaluate(
    (of, text) => {
      const field = document.querySelector<HTMLInputElement>(of);
      if (field === null) throw new Error(`there is no ${of} to choose a file in`);
      const files = new DataTransfer();
      files.items.add(new File([text], 'file.json', { type: 'application/json' }));
      field.files = files.files;
      field.dispatchEvent(new Event('change', { bubbles: true }));
    },
    selector,
    content,
  );

/** The files that a page saves. They are recorded, not saved, until `end`. */
export interface Downloads {
  next(): Promise<string>;
  end(): Promise<void>;
}

export async function catchDownloads(page: Page): Promise<Downloads> {
  await page.evaluate(() => {
    const saved: Blob[] = [];
    // oxlint-disable-next-line typescript/unbound-method -- called on what it belongs to, and put back
    const [createObjectURL, click] = [URL.createObjectURL, HTMLAnchorElement.prototype.click];
    const release = (): void => {
      URL.createObjectURL = createObjectURL;
      HTMLAnchorElement.prototype.click = click;
    };
    Object.assign(globalThis, { saved, release });
    URL.createObjectURL = (blob: Blob) => {
      saved.push(blob);
      return createObjectURL.call(URL, blob);
    };
    HTMLAnchorElement.prototype.click = () => undefined;
  });
  return {
    next: () =>
      waitFor('a file to be saved', () =>
        page.evaluate(async () => {
          const { saved } = globalThis as unknown as { saved: Blob[] };
          return (await saved.pop()?.text()) ?? null;
        }),
      ),
    end: () => page.evaluate(() => (globalThis as unknown as { release: () => void }).release()),
  };
}

/** What a button copies. The real clipboard is not touched. */
export async function clipboardOf(page: Page, button: string): Promise<string> {
  await page.evaluate(() => {
    Object.assign(globalThis, { copied: null });
    Object.defineProperty(navigator, 'clipboard', {
      configurable: true,
      value: {
        writeText: (text: string) => {
          Object.assign(globalThis, { copied: text });
          return Promise.resolve();
        },
      },
    });
  });
  await press(page, button);
  return waitFor('a text to be copied', () =>
    page.evaluate(() => (globalThis as unknown as { copied: string | null }).copied),
  );
}

/** Resolves once the page has changed no more for a while. */
export const shown = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    let before = '';
    for (let same = 0; same < 3;) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      const now = document.body.textContent;
      same = now === before ? same + 1 : 0;
      before = now;
    }
  });

/** Opens everything that a person can unfold. */
export async function unfold(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const one of document.querySelectorAll('details')) one.open = true;
  });
  await shown(page);
}
