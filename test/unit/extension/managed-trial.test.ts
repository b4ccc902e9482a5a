import { onManagedChange } from '../../../extension/background/consent/managed-trial';
import { answersTo, tell } from '../helpers/webextension';

test('the background hears of a new policy, and not of each value that it keeps in the session storage', () => {
  const changed = jest.fn();
  onManagedChange(changed);
  // The browser would send the old and the new value of each change to whoever listens to all areas.
  expect(answersTo('storageChanged', {})).toHaveLength(0);
  tell('managedChanged', {});
  expect(changed).toHaveBeenCalledTimes(1);
});
