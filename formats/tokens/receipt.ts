import { sha256 } from './token';

/** With this header, a collector that takes tokens proves that it has the report, and that no network has answered in its place. */
export const RECEIPT_HEADER = 'Cointoss-Receipt';

/** The text whose SHA-256 is the receipt. @param body of the report */
export const receiptText = (body: string): string => `cointoss-receipt\n${body}`;

/** @param body of the report */
export const receiptOf = (body: string): Promise<Uint8Array<ArrayBuffer>> =>
  sha256(new TextEncoder().encode(receiptText(body)));
