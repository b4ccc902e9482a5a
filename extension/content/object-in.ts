/** The object that a text is the JSON of; null if it is none. What the page wrote may be anything. */
export function objectIn(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
