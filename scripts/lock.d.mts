export const STALE_MILLISECONDS: number;
export function lockFile(file: string): Promise<(() => Promise<void>) | null>;
