import type { ConfigParts, Span, StateParts } from './overdue-documents.ts';
import type { Debt, DebtBooks, Place } from './slow-debt.ts';
import { dayAfter, dayAt, debtOf, instantOf, isNone, payerOf, placeOf, smallest } from './slow-debt.ts';

export const CLEAR = '__KILLBILL__CLEAR__OVERDUE_STATE__';

/** A stored blocking state of overdue: `name flags instant`. */
export interface ExpectedBlock {
  readonly name: string;
  readonly blocksChange: boolean;
  readonly blocksService: boolean;
  readonly effectiveMs: number;
}

export interface ExpectedAccount {
  /** In order of their dates. */
  readonly blocks: readonly ExpectedBlock[];
  readonly ownsInvoicingOff: boolean;
  /** Whether the account has AUTO_INVOICING_OFF, set by anyone. */
  readonly hasInvoicingOff: boolean;
  readonly checkMs: number | null;
}

export const UNTOUCHED: ExpectedAccount = {
  blocks: [],
  ownsInvoicingOff: false,
  hasInvoicingOff: false,
  checkMs: null,
};

/** The cause and inputs of an evaluation. */
export interface Look {
  readonly accountId: string;
  readonly nowMs: number;
  readonly books: DebtBooks;
  readonly config: ConfigParts;
  /** Whether a due check triggered it, not an event. */
  readonly isCheck: boolean;
  /** Due times of other work by account. */
  readonly planned: ReadonlyMap<string, readonly number[]>;
}

/** Evaluates the whole history of the account again, from the previous result. */
export function evaluateSlowly(before: ExpectedAccount, look: Look): ExpectedAccount {
  const { accountId, nowMs, books, config, isCheck } = look;
  const enterable = config.states.filter((state) => criteriaOf(state).length > 0);
  const place = placeOf(books, accountId);
  const today = dayAt(nowMs, place);
  const debt = debtOf(books, accountId, today);
  const next = debt.isExempt ? null : (enterable.find((state) => holds(state, debt, today)) ?? null);
  const isWorseNow = isWorse(before.blocks.at(-1), next, config.states);
  const workMs = lastWorkToday(look, today);
  if (workMs !== null && isWorseNow && (!isCheck || isBroughtBy(today, next, debt))) {
    const isPending = before.checkMs !== null && dayAt(before.checkMs, place) <= today;
    return isPending ? before : { ...before, checkMs: workMs };
  }
  const startedMs = isCheck && isWorseNow ? (before.checkMs ?? Number.NaN) : nowMs;
  const checkMs = nextCheck({ debt, next, config: { ...config, states: enterable }, today, place });
  const pending = isCheck ? null : before.checkMs;
  return { ...enter(before, { next, startedMs, nowMs, debt, place }), checkMs: laterCheck(pending, checkMs) };
}

/** All inputs of an evaluation as text. It must not change without an evaluation. */
export function debtDigest({
  accountId,
  books,
  config,
}: Pick<Look, 'accountId' | 'books' | 'config'>): string {
  const { unpaid, response, tags, isExempt } = debtOf(books, accountId, null);
  const named = config.states.flatMap(({ tagIn, tagOut }) => [tagIn ?? [], tagOut ?? []].flat());
  const usesResponse = config.states.some(({ responses }) => responses !== undefined);
  const lines = unpaid.map(({ id, cents, ages }) => `${id} ${cents} ${ages}`);
  return JSON.stringify([
    lines,
    named.filter((tag) => tags.has(tag)),
    usesResponse ? response : null,
    isExempt,
  ]);
}

type Criterion = (debt: Debt, today: string) => boolean;

function criteriaOf(state: StateParts): readonly Criterion[] {
  const { time, count, total, responses, tagIn, tagOut } = state;
  const criteria: Criterion[] = [];
  if (time !== undefined) criteria.push((debt, today) => isReached(time, debt, today));
  if (count !== undefined) criteria.push(({ unpaid }) => unpaid.length >= count);
  if (total !== undefined) criteria.push(({ cents }) => cents >= BigInt(Math.round(Number(total) * 100)));
  if (responses !== undefined)
    criteria.push(({ response }) => response !== null && responses.includes(response));
  if (tagIn !== undefined) criteria.push(({ tags }) => tags.has(tagIn));
  if (tagOut !== undefined) criteria.push(({ tags }) => !tags.has(tagOut));
  return criteria;
}

function holds(state: StateParts, debt: Debt, today: string): boolean {
  return criteriaOf(state).every((criterion) => criterion(debt, today));
}

function isReached(time: Span, { since }: Debt, today: string): boolean {
  const day = since === null ? null : dayAfter(since, time);
  return day !== null && day <= today;
}

interface Entering {
  readonly next: StateParts | null;
  readonly startedMs: number;
  readonly nowMs: number;
  readonly debt: Debt;
  readonly place: Place;
}

/** overdue §5.2 rule 5: the last other work of the day for the account and its payer. */
function lastWorkToday({ accountId, books, planned }: Look, today: string): number | null {
  const place = placeOf(books, accountId);
  const whose = new Set([accountId, payerOf(books, accountId)]);
  const due = [...whose].flatMap((id) => planned.get(id) ?? []).filter((ms) => dayAt(ms, place) <= today);
  return due.length === 0 ? null : Math.max(...due);
}

/** overdue §5.2 rule 5: what only this day caused. */
function isBroughtBy(today: string, next: StateParts | null, debt: Debt): boolean {
  const from = dayAfter(today, -1);
  return next !== null && from !== null && firstDayOf(next, debt, { from, to: today }) === today;
}

/** overdue §5.3 rule 2: tries the days one by one until the debt meets the criteria. */
function firstDayOf(
  { name, ...criteria }: StateParts,
  debt: Debt,
  { from, to }: { readonly from: string; readonly to: string },
): string | null {
  const { tagIn, tagOut, responses, ...ofInvoices } = criteria;
  const wanted = { name, ...ofInvoices };
  for (let day: string | null = from; day !== null && day <= to; day = dayAfter(day, 1)) {
    const then = day;
    const unpaid = debt.unpaid.filter(({ ages, targetDate }) => ages <= then && (targetDate ?? '') <= then);
    const cents = unpaid.reduce((owed, invoice) => owed + invoice.cents, 0n);
    const since = smallest(unpaid.map(({ ages }) => ages));
    if (holds(wanted, { ...debt, unpaid, cents, since }, day)) return day;
  }
  return null;
}

/** overdue §5.3 rule 1: only a more severe state takes effect earlier. */
function isWorse(last: ExpectedBlock | undefined, next: StateParts | null, states: readonly StateParts[]) {
  if (next === null) return false;
  if (last === undefined || last.name === CLEAR) return true;
  const names = states.map(({ name }) => name);
  if (names.includes(last.name)) return names.indexOf(next.name) < names.indexOf(last.name);
  const { disables = false, blocksChanges = false } = next;
  return (disables && !last.blocksService) || ((disables || blocksChanges) && !last.blocksChange);
}

/** overdue §5.1 steps 5 to 8. */
function enter(before: ExpectedAccount, { next, startedMs, nowMs, debt, place }: Entering): ExpectedAccount {
  const last = before.blocks.at(-1);
  const disables = next?.disables ?? false;
  const block = {
    name: next?.name ?? CLEAR,
    blocksChange: disables || (next?.blocksChanges ?? false),
    blocksService: disables,
  };
  const wasBlocked = last?.blocksService ?? false;
  const isSame =
    (last?.name ?? CLEAR) === block.name &&
    (last?.blocksChange ?? false) === block.blocksChange &&
    wasBlocked === block.blocksService;
  const hasTag = debt.tags.has('AUTO_INVOICING_OFF');
  const owned = before.ownsInvoicingOff && hasTag;
  if (isSame) return before;
  const begins = disables && !wasBlocked;
  const ends = !disables && wasBlocked;
  const ownsInvoicingOff = begins ? !hasTag || owned : disables && owned;
  const hasInvoicingOff = begins || (hasTag && !(ends && owned));
  const firstDay =
    next === null ? null : firstDayOf(next, debt, { from: dayAt(startedMs, place), to: dayAt(nowMs, place) });
  // A parent in a zone where it is already tomorrow may have an invoice of a future day.
  const isLater = firstDay !== null && firstDay > dayAt(startedMs, place);
  const dueMs = firstDay === null ? nowMs : isLater ? instantOf(firstDay, place) : startedMs;
  const wholeSecond = Math.floor(Math.min(dueMs, nowMs) / 1000) * 1000;
  const effectiveMs = Math.max(wholeSecond, last?.effectiveMs ?? 0);
  const blocks = [...before.blocks, { ...block, effectiveMs }];
  return { ...before, ownsInvoicingOff, hasInvoicingOff, blocks };
}

interface Checking {
  readonly debt: Debt;
  readonly next: StateParts | null;
  readonly config: ConfigParts;
  readonly today: string;
  readonly place: Place;
}

/** overdue §6: an instant, `none` if no check is needed, null if the pending one stays. */
function nextCheck({ debt, next, config, today, place }: Checking): number | 'none' | null {
  if (debt.isExempt) return 'none';
  if (next === null && debt.since === null && debt.nextDay === null) return 'none';
  // A debtor waits for the next configuration (rule 6).
  if (config.states.length === 0) return instantOf(dayAfter(today, 1) ?? today, place);
  const days: (string | null)[] = [debt.nextDay];
  const { since } = debt;
  if (since !== null)
    days.push(...config.states.map(({ time }) => (time === undefined ? null : dayAfter(since, time))));
  const every = next === null ? (since === null ? undefined : config.initial) : next.every;
  if (every !== undefined && !isNone(every)) days.push(dayAfter(today, every));
  const day = smallest(days.flatMap((each) => (each !== null && each > today ? each : [])));
  return day === null ? null : instantOf(day, place);
}

/** Keeps a pending check at or before that instant and replaces a later one (overdue §6 rules 2 and 3). */
function laterCheck(pending: number | null, wanted: number | 'none' | null): number | null {
  if (wanted === 'none') return null;
  if (wanted === null) return pending;
  return pending === null ? wanted : Math.min(pending, wanted);
}
