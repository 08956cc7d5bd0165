import type { Ports } from '../../ports/index.ts';
import type {
  ForgottenKeys,
  OpenDay,
  ReadSession,
  SettledSubscription,
  WriteSession,
} from '../../ports/storage/index.ts';
import type { Account, Authorship, CallContext } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { invalidParameter } from '../../values/errors/index.ts';
import {
  addMilliseconds,
  dayOfMonth,
  formatLocalDate,
  type LocalDate,
  minDate,
} from '../../values/time/index.ts';
import { archivableBefore, archivedDays } from '../collecting/archived-days.ts';
import { type UsageConfig, usageSettings } from '../settlement/usage-config.ts';
import type { ArchivedUsage, ArchiveRequest } from './usage-operations.ts';

/** Maximum number of subscriptions per page. */
const ARCHIVED_SUBSCRIPTIONS_PER_PAGE = 100;
const ARCHIVED_DAYS_PER_TRANSACTION = 1_000;
const ARCHIVED_POINTS_PER_TRANSACTION = 100_000;

/** Maximum number of tracking ids that one transaction examines for deletion. */
const FORGOTTEN_KEYS_PER_TRANSACTION = 5_000;

const msPerDay = 86_400_000;

/**
 * Operations that delete the points of closed months. They keep all data that invoices and read operations need
 * (§11.4).
 */
export function archiveOperations(
  { storage }: Pick<Ports, 'storage'>,
  configOf: (session: ReadSession) => Promise<UsageConfig>,
  /** Value of `usage.keyRetentionDays`. Null keeps tracking ids forever. */
  keyRetentionDays: number | null,
) {
  async function forget({ tenant, createdDate }: CallContext, authorship: Authorship) {
    if (keyRetentionDays === null) return 0;
    const recordedBefore = addMilliseconds(createdDate, -keyRetentionDays * msPerDay);
    let forgotten = 0;
    let after: number | null = 0;
    while (after !== null) {
      const request = { recordedBefore, after, limit: FORGOTTEN_KEYS_PER_TRANSACTION };
      const found: ForgottenKeys = await storage.write(tenant, authorship, (session) =>
        session.usage.forgetKeys(request),
      );
      forgotten += found.forgotten;
      after = found.last;
    }
    return forgotten;
  }

  return {
    async archive(context: CallContext, { before }: ArchiveRequest<LocalDate>): Promise<ArchivedUsage> {
      if (dayOfMonth(before) !== 1) throw notFirstOfMonth(before);
      const authorship = authorshipOf(context);
      const { tenant } = context;
      const settings = usageSettings(await storage.read(tenant, configOf));
      let [days, points, busyAccounts] = [0, 0, 0];
      for (let after = 0; ; ) {
        const request = { before, settings, after, limit: ARCHIVED_SUBSCRIPTIONS_PER_PAGE };
        const page = await storage.read(tenant, (session) => session.usage.settledSubscriptions(request));
        const last = page.at(-1);
        if (last === undefined) break;
        for (let isDone = false; !isDone; ) {
          const done = await storage.write(tenant, authorship, (session) =>
            archiveSome(session, page, { before, settings }),
          );
          days += done.days;
          points += done.points;
          isDone = done.days === 0;
          if (isDone) busyAccounts += done.busyAccounts;
        }
        after = last.subscriptionRecordId;
      }
      return { days, points, busyAccounts, forgottenKeys: await forget(context, authorship) };
    },
  };
}

interface Bounds {
  readonly before: LocalDate;
  readonly settings: string;
}

/** Archives some days of these subscriptions. Returns an empty result if no days are left. */
async function archiveSome(session: WriteSession, page: readonly SettledSubscription[], bounds: Bounds) {
  const recordIds = [...new Set(page.map(({ accountRecordId }) => accountRecordId))];
  // No run may bill at the same time, or the archived sums would differ from the billed sums.
  const accounts = await session.tryLockAccounts(recordIds);
  const open = accounts.length === 0 ? [] : await openDays(session, { page, accounts }, bounds);
  const own = Map.groupBy(open, ({ subscriptionRecordId }) => subscriptionRecordId);
  const touched = page.filter(({ subscriptionRecordId }) => own.has(subscriptionRecordId));
  const [day, ...days] = open.map(({ localDate }) => localDate);
  const firstDay = day === undefined ? null : minDate(day, ...days);
  const windows = touched.map(({ subscriptionId }) => ({ subscriptionId, from: firstDay }));
  const intervals = Map.groupBy(
    await session.usage.intervals(windows),
    ({ subscriptionId }) => subscriptionId,
  );
  const zoneOf = new Map(accounts.map(({ recordId, timeZone }) => [recordId, timeZone]));
  const archived = touched.flatMap(({ subscriptionId, subscriptionRecordId, accountRecordId }) => {
    const zone = zoneOf.get(accountRecordId);
    if (zone === undefined) return [];
    const billed = intervals.get(subscriptionId) ?? [];
    return archivedDays(own.get(subscriptionRecordId) ?? [], billed, zone);
  });
  await session.usage.archive(archived);
  return {
    days: archived.length,
    points: archived.reduce((sum, { count, archivedCount }) => sum + count - archivedCount, 0),
    busyAccounts: recordIds.length - accounts.length,
  };
}

/** Locks the days to archive, up to the maximum for one transaction. The caller has locked the accounts. */
async function openDays(
  session: WriteSession,
  of: { readonly page: readonly SettledSubscription[]; readonly accounts: readonly Account[] },
  bounds: Bounds,
): Promise<readonly OpenDay[]> {
  const cursors = await session.invoices.cursorsOfAccounts(of.accounts.map(({ id }) => id));
  const cursorOf = new Map(cursors.map((cursor) => [cursor.subscriptionId, cursor]));
  const requests = of.page.flatMap(({ subscriptionId, subscriptionRecordId }) => {
    const cursor = cursorOf.get(subscriptionId);
    const before = cursor === undefined ? null : archivableBefore(cursor, bounds);
    return before === null ? [] : [{ subscriptionRecordId, before }];
  });
  const days = await session.usage.lockOpenDays(requests, ARCHIVED_DAYS_PER_TRANSACTION);
  let points = 0;
  return days.filter(({ count, archivedCount }, index) => {
    points += count - archivedCount;
    return index === 0 || points <= ARCHIVED_POINTS_PER_TRANSACTION;
  });
}

function notFirstOfMonth(before: LocalDate) {
  const date = formatLocalDate(before);
  return invalidParameter(`Usage is archived by month: ${date} is not the first day of a month`, {
    before: date,
  });
}
