export function importsBelow(folders: readonly string[]): ReadonlyMap<string, readonly string[]>;
