import type { Command } from 'commander';
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

/** @throws InputError for options that only a lift test has, if there is none. @param name of the command */
export function refuseWithoutLift(name: string, command: Command, options: readonly string[]): void {
  const given = options.find((option) => command.getOptionValueSource(option) === 'cli');
  if (given !== undefined)
    throw new InputError(
      `${name}: --${given}: needs --lift, but there is none; add --lift, or leave --${given} out`,
    );
}
