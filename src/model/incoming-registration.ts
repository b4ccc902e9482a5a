import type { Occasion } from './decision';
import type { SourceType } from './limits';

/** A registration header as received, or as a recording rule made it. */
export interface Registration {
  readonly occasion: Occasion;
  readonly register:
    | { readonly kind: 'source'; readonly sourceType: SourceType }
    | { readonly kind: 'trigger' };
  readonly header: string;
  readonly fenced: boolean;
  /** Whether the reporting origin asked for reports on malformed headers (`Attribution-Reporting-Info`). */
  readonly reportHeaderErrors: boolean;
}
