import type { Page } from 'puppeteer';
import { waitFor } from '../../../scenarios/kit';

/** Goes to a view of the internals page that is open. */
export const goTo = (page: Page, address: string): Promise<void> =>
  page.evaluate((hash) => void (location.hash = hash), address);

/** The text of an element that is shown; null when there is none. */
export const textOf = (page: Page, selector: string): Promise<string | null> =>
  page.evaluate((of) => {
    const element = document.querySelector(of);
    return element === null || element.closest('[hidden]') !== null ? null : element.textContent;
  }, selector);

/** Resolves once the element shows this, as the pages keep up with the background by themselves. */
export async function shows(page: Page, selector: string, expected: string | null | RegExp): Promise<void> {
  let last: string | null = null;
  const asExpected = async (): Promise<boolean> => {
    last = await textOf(page, selector);
    return expected instanceof RegExp ? expected.test(last ?? '') : last === expected;
  };
  await waitFor(`${selector} to show ${String(expected)}`, asExpected, { timeout: 10_000 }).catch(() => {
    throw new Error(`${selector} must show ${String(expected)}, shows ${String(last)}`);
  });
}

/** A click that needs no place on the screen, as the tab may be behind another. */
export const press = (page: Page, selector: string): Promise<void> =>
  page.evaluate((of) => {
    const element = document.querySelector<HTMLElement>(of);
    if (element === null) throw new Error(`there is no ${of} to press`);
    element.click();
  }, selector);

/** Puts text into a field, as if typed; a change follows, as when it is left. */
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

/** Types into an editor, in place of all that it holds. */
export const typeInto = (page: Page, selector: string, text: string): Promise<void> =>
  page.evaluate(
    (of, typed) => {
      const editor = document.querySelector<HTMLElement>(of);
      if (editor === null) throw new Error(`there is no ${of} to type into`);
      editor.focus();
      getSelection()?.selectAllChildren(editor);
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one way to type that needs no focus of the window
      document.execCommand('insertText', false, typed);
    },
    selector,
    text,
  );

/** Chooses a file in a file field. */
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

/** What the page saves as files, which are told instead of saved until the end. */
export interface Downloads {
  next(): Promise<string>;
  end(): Promise<void>;
}

export async function catchDownloads(page: Page): Promise<Downloads> {
  await page.evaluate(() => {
    const saved: Blob[] = [];
    // eslint-disable-next-line @typescript-eslint/unbound-method -- called on what it belongs to, and put back
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
