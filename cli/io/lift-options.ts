import { mostLift, type LiftTestPlan } from '../../analysis/simulation/lift-test';
import { InputError, openShareOption } from './input';

/** `--lift`, `--holdout` and `--rate`. @throws InputError */
export function liftOptions(
  command: string,
  { lift, holdout, rate }: { readonly lift: string; readonly holdout: string; readonly rate: string },
): LiftTestPlan {
  const plan = {
    holdout: openShareOption(command, 'holdout', holdout),
    rate: openShareOption(command, 'rate', rate),
  };
  const value = lift.trim() === '' ? NaN : Number(lift);
  const most = mostLift(plan);
  if (value >= -1 && value <= most) return { ...plan, lift: value };
  throw new InputError(
    `${command}: --lift: must be a number from -1 to ${most}, where everybody converts, was "${lift}"`,
  );
}
