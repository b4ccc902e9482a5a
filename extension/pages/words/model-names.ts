import type { AttributionModel } from '../../../src/model/mechanisms';
import { t } from '../../i18n';

/** An attribution model; the compiler names messages that are missing. */
export const modelName = (kind: AttributionModel['kind']): string =>
  t(`attribution_model_${kind.replaceAll('-', '_') as Underscored<typeof kind>}`);

/** As ids of messages are written. */
type Underscored<Text extends string> = Text extends `${infer First}-${infer Rest}`
  ? `${First}_${Underscored<Rest>}`
  : Text;
