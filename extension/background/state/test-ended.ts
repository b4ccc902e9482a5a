/** Says that a lift test is over, until its arms are taken. Of another value each time: who takes them must not take back a later end. */
export const testEnded = (): { readonly liftTestEnded: string } => ({ liftTestEnded: crypto.randomUUID() });
