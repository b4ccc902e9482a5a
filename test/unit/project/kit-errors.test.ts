import { runInContext } from 'node:vm';
import CointossEnvironment from '../../../scenarios/kit/jest-environment';

/* A test file has its own Error, and the kit that of Node. */

test("the kit's errors are errors in a test file, and only of their own classes", () => {
  const config = { projectConfig: { globals: {}, testEnvironmentOptions: {} } };
  const environment = new CointossEnvironment(config as never, {} as never);
  const context = environment.getVmContext();
  if (context === null) throw new Error('no context');
  Object.assign(environment.global, { thrown: new Error('x') });
  const inFile = (code: string): unknown => runInContext(code, context);
  expect(inFile('thrown instanceof Error')).toBe(true);
  expect(inFile('new Error() instanceof Error && new TypeError() instanceof Error')).toBe(true);
  expect(inFile('class Own extends Error {}; [thrown instanceof Own, new Own() instanceof Own]')).toEqual([
    false,
    true,
  ]);
  expect(inFile('[{}, null, "x"].some((other) => other instanceof Error)')).toBe(false);
});
