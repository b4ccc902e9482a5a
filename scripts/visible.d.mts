export function visible(text: string): string;
export function visibleJson(json: string): string;
export function visibleLines(text: string): string;
