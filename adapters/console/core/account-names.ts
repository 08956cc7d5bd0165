import { api } from './api.ts';
import { shortId } from './format.ts';

/** Maximum number of ids in a call of `accounts.list`. */
const MAX_IDS = 1_000;

/** Returns the name of an account by its id. */
export type AccountNames = (accountId: string) => string;

/**
 * Loads the names of accounts in one call. An account without a name has its external key, and an account beyond the
 * first thousand has the end of its id.
 */
export async function loadAccountNames(accountIds: readonly string[]): Promise<AccountNames> {
  const ids = [...new Set(accountIds)].slice(0, MAX_IDS);
  const accounts = ids.length === 0 ? [] : await api().accounts.list(ids);
  const nameOf = new Map<string, string>(
    accounts.map(({ id, name, externalKey }) => [id, name ?? externalKey]),
  );
  return (accountId) => nameOf.get(accountId) ?? shortId(accountId);
}

/** Adds the names of their accounts to rows, also to rows without an account. */
export async function withNames<R extends { readonly accountId: string | null }>(rows: readonly R[]) {
  const nameOf = await loadAccountNames(rows.flatMap(({ accountId }) => accountId ?? []));
  return rows.map((row) => ({ ...row, accountName: row.accountId === null ? '' : nameOf(row.accountId) }));
}

/** Adds the names of their accounts to the rows of a page. */
export async function withAccountNames<R extends { readonly accountId: string }>(
  loading: Promise<{ readonly rows: readonly R[]; readonly total: number }>,
) {
  const { rows, total } = await loading;
  return { rows: await withNames(rows), total };
}
