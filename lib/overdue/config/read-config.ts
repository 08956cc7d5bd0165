import { PaymentResponse } from '../../records/index.ts';
import { DocumentFault, decodeXml, readJsonTree, readXmlTree } from '../../values/documents/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import { MAX_BLOCKING_STATE_NAME_CHARACTERS } from '../../values/limits.ts';
import type { Decimal } from '../../values/money/index.ts';
import { shortenText } from '../../values/text/index.ts';
import { type Duration, TimeUnit } from '../../values/time/index.ts';
import {
  Findings,
  invalidOverdueConfig,
  JsonValue,
  type WrittenRecord,
  type WrittenValue,
  XmlValue,
} from './config-values.ts';
import {
  CancellationPolicy,
  CLEAR_STATE_NAME,
  controlTagNames,
  type OverdueCondition,
  type OverdueConfig,
  type OverdueState,
} from './overdue-config.ts';

/**
 * Maximum number of states. The number is limited because each state may be evaluated. Typical configurations have
 * three to five states.
 */
const MAX_OVERDUE_STATES = 100;

/**
 * Maximum number of characters. A document is parsed without a pause, which takes a few milliseconds, or up to 0.2 s
 * for a hostile document.
 */
export const MAX_OVERDUE_CONFIG_CHARACTERS = 256 * 1_024;

/**
 * Reads an XML configuration (§1) without file or network access. The document is a string, or bytes in UTF-8 or in
 * UTF-16 with a byte order mark.
 * @throws BillingError OVERDUE_INVALID_FOR_TENANT (5010) with every problem and its position, or with the first
 * position that is not well-formed; TOO_LARGE (60012).
 */
export function readOverdueXml(document: Uint8Array | string, reading: ConfigReading = {}): OverdueConfig {
  const decoded = decode(document);
  return read(decoded.text, (findings) => {
    const root = readXmlTree(decoded);
    if (root.name !== 'overdueConfig') {
      findings.add(root.offset, `The root element is "overdueConfig", not "${shortenText(root.name)}"`);
      return noConfig;
    }
    const whole = new XmlValue(root, findings).record();
    const content = whole.require('accountOverdueStates')?.record();
    whole.refuseOthers();
    if (content === undefined) return noConfig;
    const initial = content.take('initialReevaluationInterval');
    const states = readStates(content.takeAll('state'), { ...reading, form: xmlForm, findings });
    content.refuseOthers();
    checkStates(states, findings);
    return configOf(xmlForm.readInterval(initial), states);
  });
}

/** Decodes a configuration. @throws The errors of `readOverdueXml`, for an unsupported encoding or too many bytes. */
export function overdueXmlText(document: Uint8Array | string): string {
  return decode(document).text;
}

/** Parses a JSON configuration and adds the default intervals (§1). @throws The errors of `readOverdueXml`. */
export function readOverdueJson(document: string, reading: ConfigReading = {}): OverdueConfig {
  const { text } = decode(document);
  return read(text, (findings) => {
    const whole = new JsonValue(readJsonTree(text), 'The configuration', findings).record();
    const initial = whole?.take('initialReevaluationInterval');
    const written = whole?.require('overdueStates')?.items('state') ?? [];
    const states = readStates(written, { ...reading, form: jsonForm, findings });
    whole?.refuseOthers();
    checkStates(states, findings);
    checkThresholds(states, findings);
    return withJsonDefaults(configOf(jsonForm.readInterval(initial), states));
  });
}

export interface ConfigReading {
  /**
   * If true, accepts conditions without criteria, which are never met. Stored configurations may contain them. Defaults
   * to false (§1.3 rule 2).
   */
  readonly acceptsEmptyConditions?: boolean;
}

const noConfig: OverdueConfig = { initialReevaluationInterval: null, states: [] };

/** Names (§1.1) and limits (§1.3) that differ between XML and JSON. */
const xmlForm = {
  name: '@name',
  blockChanges: 'blockChanges',
  disableEntitlement: 'disableEntitlementAndChangesBlocked',
  interval: 'autoReevaluationInterval',
  responses: 'responseForLastFailedPaymentIn',
  ignored: ['enterStateEmailNotification'],
  /** Minimum of a time criterion (§1.3 rule 3). */
  leastTime: 0,
  readInterval(value: WrittenValue | undefined): Duration | null {
    const interval = value?.duration();
    return interval?.unit === 'UNLIMITED' || interval?.number === 0 ? null : (interval ?? null);
  },
};

const jsonForm: typeof xmlForm = {
  name: 'name',
  blockChanges: 'isBlockChanges',
  disableEntitlement: 'isDisableEntitlement',
  interval: 'autoReevaluationIntervalDays',
  responses: 'responseForLastFailedPayment',
  ignored: [],
  leastTime: 1,
  readInterval(value) {
    const number = value?.wholeNumber() ?? 0;
    return number <= 0 ? null : { unit: TimeUnit.DAYS, number };
  },
};

interface Reading extends ConfigReading {
  readonly form: typeof xmlForm;
  readonly findings: Findings;
}

/** Reads the states, up to the maximum number of states (§1.3 rule 6). */
function readStates(values: readonly WrittenValue[], reading: Reading) {
  const { findings } = reading;
  const first = values[MAX_OVERDUE_STATES];
  if (first !== undefined)
    findings.add(first.at, `There are ${values.length} states; at most ${MAX_OVERDUE_STATES} are accepted`);
  return values.slice(0, MAX_OVERDUE_STATES).flatMap((value, index) => {
    const record = value.record();
    return record === undefined ? [] : readState(record, index + 1, reading);
  });
}

function configOf(initialReevaluationInterval: Duration | null, states: readonly ReadState[]) {
  return { initialReevaluationInterval, states: states.map(({ state }) => state) };
}

/** Maximum number of bytes per character that the size limit allows. UTF-16 needs two, and UTF-8 up to four. */
const MOST_BYTES_PER_CHARACTER = 4;

function decode(document: Uint8Array | string) {
  if (document.length > MAX_OVERDUE_CONFIG_CHARACTERS * MOST_BYTES_PER_CHARACTER)
    throw tooLarge(document.length);
  try {
    return decodeXml(document);
  } catch (error) {
    if (!(error instanceof DocumentFault)) throw error;
    throw invalidOverdueConfig([{ message: error.message, line: 1, column: 1 }]);
  }
}

function tooLarge(size: number) {
  const message = `The configuration has ${size} characters; at most ${MAX_OVERDUE_CONFIG_CHARACTERS} are accepted`;
  return billingError(ErrorCode.TOO_LARGE, message, { size, limit: MAX_OVERDUE_CONFIG_CHARACTERS });
}

function read(document: string, work: (findings: Findings) => OverdueConfig) {
  if (document.length > MAX_OVERDUE_CONFIG_CHARACTERS) throw tooLarge(document.length);
  const findings = new Findings(document);
  const config = readWith(findings, work);
  if (config === undefined || findings.count > 0) throw invalidOverdueConfig(findings.problems);
  return config;
}

function readWith<T>(findings: Findings, work: (findings: Findings) => T) {
  try {
    return work(findings);
  } catch (error) {
    if (!(error instanceof DocumentFault)) throw error;
    findings.add(error.offset, error.message);
    return undefined;
  }
}

function checkStates(states: readonly ReadState[], findings: Findings) {
  const known = new Set<string>();
  for (const [index, { state, nameAt: at }] of states.entries()) {
    if (at === null) continue;
    const { name } = state;
    const most = MAX_BLOCKING_STATE_NAME_CHARACTERS;
    findings.about(name === '' ? `State ${index + 1}` : `State "${shortenText(name)}"`, () => {
      if (name === '') findings.add(at, 'its name is empty');
      if (name.length > most)
        findings.add(at, `its name has ${name.length} characters; at most ${most} are accepted`);
      if (name === CLEAR_STATE_NAME) findings.add(at, 'its name is reserved for the clear state');
      if (known.has(name)) findings.add(at, 'another state has the same name');
      if (name !== '') known.add(name);
    });
  }
}

/** Checks that thresholds decrease from more to less severe states (§1.3 rule 4). Applies to JSON only. */
function checkThresholds(states: readonly ReadState[], findings: Findings) {
  let before: { readonly name: string; readonly days: number } | undefined;
  for (const { state, timeAt } of states) {
    const time = state.condition?.unpaidFor ?? null;
    if (state.isClearState || time === null || timeAt === null) continue;
    const days = daysOf(time);
    const { name } = state;
    if (before !== undefined && days >= before.days) {
      const problem = `its time must be less than that of the more severe state "${shortenText(before.name)}"`;
      findings.add(timeAt, `State "${shortenText(name)}": ${problem}`);
    }
    before = { name, days };
  }
}

/** Returns a duration in days. A month counts as 30 days and a year as 365 days (§1.3 rule 4). */
function daysOf({ unit, number }: Duration) {
  switch (unit) {
    case TimeUnit.DAYS:
      return number;
    case TimeUnit.WEEKS:
      return number * 7;
    case TimeUnit.MONTHS:
      return number * 30;
    case TimeUnit.YEARS:
      return number * 365;
    case TimeUnit.UNLIMITED:
      return Number.POSITIVE_INFINITY;
  }
}

/** The two forms of a configuration (§1.4). */
export const OverdueFormat = { XML: 'XML', JSON: 'JSON' } as const;
export type OverdueFormat = (typeof OverdueFormat)[keyof typeof OverdueFormat];

/** Returns the format of a document. An XML document starts with `<`; a JSON document never does. */
export function formatOf(document: Uint8Array | string): OverdueFormat {
  return overdueXmlText(document).trimStart().startsWith('<') ? OverdueFormat.XML : OverdueFormat.JSON;
}

/**
 * Parses a configuration in either format.
 * @throws BillingError OVERDUE_INVALID_FOR_TENANT (5010), TOO_LARGE (60012).
 */
export function readOverdueDocument(
  document: Uint8Array | string,
  format: OverdueFormat = formatOf(document),
): OverdueConfig {
  return readIn(format, document, {});
}

/** Parses a stored configuration, which may have been accepted under earlier rules. */
export function readStoredOverdueDocument(document: string): OverdueConfig {
  return readIn(formatOf(document), document, { acceptsEmptyConditions: true });
}

function readIn(format: OverdueFormat, document: Uint8Array | string, reading: ConfigReading) {
  return format === OverdueFormat.XML
    ? readOverdueXml(document, reading)
    : readOverdueJson(overdueXmlText(document), reading);
}

/** Rejects an invalid value of the tenant's key (§1.3). @throws The errors of `readOverdueDocument`. */
export function checkOverdueConfig(value: string): void {
  readOverdueDocument(value);
}

/** A state with its positions, for rules that compare states. */
interface ReadState {
  readonly state: OverdueState;
  /**
   * The position of the name, or null if the name could not be read, in which case the problem has already been
   * reported.
   */
  readonly nameAt: number | null;
  readonly timeAt: number | null;
}

function readState(record: WrittenRecord, number: number, reading: Reading): ReadState {
  const { form, findings } = reading;
  const named = record.take(form.name);
  const name = named?.textForXml();
  return findings.about(name ? `State "${shortenText(name)}"` : `State ${number}`, () => {
    if (named === undefined) findings.add(record.at, 'it has no name');
    const { timeAt, ...found } = readCondition(record.take('condition'), reading);
    const isClear = record.take('isClearState');
    const isClearState = isClear?.flag();
    if (isClear === undefined || isClearState === false) checkEntered(found, record, reading);
    for (const part of form.ignored) record.take(part);
    const policy = record.take('subscriptionCancellationPolicy');
    const state: OverdueState = {
      name: name ?? '',
      isClearState: isClearState ?? false,
      condition: found.condition,
      externalMessage: record.take('externalMessage')?.textForXml()?.trim() ?? '',
      blockChanges: flagOf(record, form.blockChanges),
      disableEntitlement: flagOf(record, form.disableEntitlement),
      cancellationPolicy: policy?.oneOf(Object.values(CancellationPolicy)) ?? CancellationPolicy.NONE,
      reevaluationInterval: form.readInterval(record.take(form.interval)),
    };
    record.refuseOthers();
    return { state, nameAt: name === undefined ? null : (named?.at ?? null), timeAt };
  });
}

/** Checks that a state has a condition, unless it is clear (§1.3 rule 2). */
function checkEntered(
  { condition, isEmpty }: Pick<ReadCondition, 'condition' | 'isEmpty'>,
  { at }: WrittenRecord,
  { findings, acceptsEmptyConditions }: Reading,
) {
  if (condition === null) findings.add(at, 'it has neither a condition nor isClearState');
  else if (isEmpty && !acceptsEmptyConditions) findings.add(at, 'its condition has no criterion');
}

function flagOf(record: WrittenRecord, name: string) {
  return record.take(name)?.flag() ?? false;
}

interface ReadCondition {
  readonly condition: OverdueCondition | null;
  readonly timeAt: number | null;
  /**
   * True if the condition contains no criterion. The value is false if the condition could not be read, because that
   * problem has already been reported.
   */
  readonly isEmpty: boolean;
}

/** Parses a condition. If it cannot be read, it is not also reported as missing. */
function readCondition(part: WrittenValue | undefined, reading: Reading): ReadCondition {
  if (part === undefined) return { condition: null, timeAt: null, isEmpty: false };
  const criteria = part.record();
  return criteria === undefined
    ? { condition: noCriteria, timeAt: null, isEmpty: false }
    : readCriteria(criteria, reading);
}

const noCriteria: OverdueCondition = {
  unpaidFor: null,
  unpaidCount: null,
  unpaidTotal: null,
  responses: null,
  tagCarried: null,
  tagMissing: null,
};

function readCriteria(record: WrittenRecord, { form, findings }: Reading): ReadCondition {
  const before = findings.count;
  const time = record.take('timeSinceEarliestUnpaidInvoiceEqualsOrExceeds');
  const count = record.take('numberOfUnpaidInvoicesEqualsOrExceeds');
  const total = record.take('totalUnpaidInvoiceBalanceEqualsOrExceeds');
  const responses = record.take(form.responses);
  const condition: OverdueCondition = {
    unpaidFor: time?.duration(form.leastTime) ?? null,
    unpaidCount: notNegative(count, count?.wholeNumber()),
    unpaidTotal: notNegative(total, total?.amount()),
    responses: responses ? readResponses(responses.items('response')) : null,
    tagCarried: record.take('controlTagInclusion')?.oneOf(controlTagNames) ?? null,
    tagMissing: record.take('controlTagExclusion')?.oneOf(controlTagNames) ?? null,
  };
  record.refuseOthers();
  // An invalid condition is not also reported as empty.
  const isEmpty = Object.values(condition).every((each) => each === null) && findings.count === before;
  return { condition, timeAt: time?.at ?? null, isEmpty };
}

/**
 * Parses the payment responses. An empty list means that the condition has no criterion for payment responses (§1.1
 * rule 3).
 */
function readResponses(items: readonly WrittenValue[]) {
  const known = Object.values(PaymentResponse);
  return items.length === 0 ? null : items.flatMap((item) => item.oneOf(known) ?? []);
}

function notNegative<T extends number | Decimal>(written: WrittenValue | undefined, value?: T) {
  if (written === undefined || value === undefined) return null;
  const isNegative = typeof value === 'number' ? value < 0 : value.lessThan(0);
  return isNegative ? (written.report(`${value} is negative`) ?? null) : value;
}

/**
 * Adds the default intervals of JSON (§1.3 rule 5). A state is checked again at the threshold of the next more severe
 * state. A clear account is checked at the last threshold.
 */
function withJsonDefaults(config: OverdueConfig): OverdueConfig {
  let severer: Duration | null = null;
  const states: OverdueState[] = [];
  for (const state of config.states) {
    const time = state.isClearState ? null : (state.condition?.unpaidFor ?? null);
    const interval = state.reevaluationInterval ?? (time && severer && between(time, severer));
    states.push(state.isClearState ? state : { ...state, reevaluationInterval: interval });
    severer = time ?? severer;
  }
  return { initialReevaluationInterval: config.initialReevaluationInterval ?? finite(severer), states };
}

function between(time: Duration, severer: Duration) {
  const number = daysOf(severer) - daysOf(time);
  return finite({ unit: TimeUnit.DAYS, number });
}

function finite(duration: Duration | null) {
  return duration !== null && Number.isFinite(daysOf(duration)) ? duration : null;
}
