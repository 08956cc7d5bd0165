import { isPaidByParent } from '../../accounts/index.ts';
import type { ClaimedEntry, WriteSession } from '../../ports/storage/index.ts';
import type { AskedJob, LockedJob } from './in-order.ts';

/**
 * Takes the locks of those accounts that are free, never that of a parent with them (§8 rule 4), and reads the parents
 * that pay for them; one statement, and one more where parents pay.
 */
export async function lockJobs(
  session: WriteSession,
  jobs: readonly AskedJob[],
): Promise<{ readonly locked: readonly LockedJob[]; readonly busy: readonly ClaimedEntry[] }> {
  const accounts = await session.tryLockAccounts(jobs.flatMap(({ entry }) => entry.accountRecordId ?? []));
  const parentIds = new Set(
    accounts.flatMap((account) => (isPaidByParent(account) ? (account.parentAccountId ?? []) : [])),
  );
  const parents = parentIds.size === 0 ? [] : await session.accounts.findByIds([...parentIds]);
  const parentOf = new Map(parents.map((parent) => [parent.id, parent]));
  const accountOf = new Map(accounts.map((account) => [account.recordId, account]));
  const locked: LockedJob[] = [];
  const busy: ClaimedEntry[] = [];
  for (const { entry, job } of jobs) {
    const account = accountOf.get(entry.accountRecordId ?? 0);
    if (account === undefined) {
      busy.push(entry);
      continue;
    }
    const payer = isPaidByParent(account) ? account.parentAccountId : null;
    locked.push({ entry, job, account, parent: payer === null ? null : (parentOf.get(payer) ?? null) });
  }
  return { locked, busy };
}
