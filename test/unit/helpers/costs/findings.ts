import { casesOf } from './costs';
import { growthOf } from './measure';

/**
 * What takes more than three times as long for twice the text, or throws.
 * @param largest in characters
 */
export async function findings(largest: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { name, run, shape, largest: most } of casesOf(largest))
    try {
      const growth = await growthOf(shape, run, most);
      if (growth !== null) found.push(`${name}: ${growth}`);
    } catch (error) {
      found.push(`${name}: ${String(error)}`);
    }
  return found;
}
