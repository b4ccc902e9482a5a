export function visible(text: string): string;
export function visibleLines(text: string): string;
