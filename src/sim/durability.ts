import type { Store } from '../store/store.ts';
import type { Unanswered } from './simulated-journal.ts';

/**
 * Compares what a store showed before its end with what another shows that was opened upon the same medium. What was shown must be
 * there; beyond it, the batch that was never answered, whole, if the medium has it.
 * @returns how they differ otherwise.
 */
export async function whatIsLost(before: Store, after: Store, unanswered: Unanswered | undefined): Promise<string | undefined> {
  const shown = new Map((await before.list('/')).items.map(({ key, revision }) => [key, revision]));
  for (const change of unanswered?.kept ? unanswered.changes : []) {
    if (change.type === 'put') shown.set(change.item.key, change.item.revision);
    else shown.delete(change.key);
  }
  for (const { key, revision } of (await after.list('/')).items) {
    if (shown.get(key) !== revision) return `${key} is of revision ${revision}, and was of ${shown.get(key) ?? 'none'}`;
    shown.delete(key);
  }
  const [missing] = shown;
  return missing && `${missing[0]} of revision ${missing[1]} is not there any more`;
}
