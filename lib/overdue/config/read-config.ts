import {
  type DecodedXml,
  DocumentFault,
  decodeXml,
  readJsonTree,
  readXmlTree,
} from '../../values/documents/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import { MAX_OVERDUE_CONFIG_CHARACTERS, MAX_OVERDUE_STATES } from '../../values/limits.ts';
import { shortened } from '../../values/text/index.ts';
import { type Duration, TimeUnit } from '../../values/time/index.ts';
import { checkStates, checkThresholds } from './check-config.ts';
import { Findings, invalidOverdueConfig } from './findings.ts';
import type { Form, Reading } from './form.ts';
import { withJsonDefaults } from './json-defaults.ts';
import type { OverdueConfig } from './overdue-config.ts';
import { type ReadState, readState } from './read-state.ts';
import { readDuration } from './read-values.ts';
import type { WrittenValue } from './written.ts';
import { JsonValue } from './written-json.ts';
import { XmlValue } from './written-xml.ts';

/**
 * Reads an overdue configuration that is written as XML (§1): a text, or bytes of UTF-8, or of UTF-16 with a byte order
 * mark. Touches neither file system nor network.
 * @throws BillingError OVERDUE_INVALID_FOR_TENANT (5010) with every problem and its line and column, or with the one
 * where the document stops being well-formed; TOO_LARGE (60012).
 */
export function readOverdueXml(document: Uint8Array | string, reading: ConfigReading = {}): OverdueConfig {
  const decoded = decode(document);
  return read(decoded.text, (findings) => {
    const root = readXmlTree(decoded);
    if (root.name !== 'overdueConfig') {
      findings.add(root.offset, `The root element is "overdueConfig", not "${shortened(root.name)}"`);
      return noConfig;
    }
    const whole = new XmlValue(root, findings).record();
    const content = whole.require('accountOverdueStates')?.record();
    whole.refuseOthers();
    if (content === undefined) return noConfig;
    const initial = content.take('initialReevaluationInterval');
    const states = readStates(content.takeAll('state'), readingOf(xmlForm, findings, reading));
    content.refuseOthers();
    checkStates(states, findings);
    return configOf(initial === undefined ? null : xmlForm.readInterval(initial, findings), states);
  });
}

/**
 * The text of a configuration that came as bytes, for keeping; it is not read.
 * @throws as `readOverdueXml`, for bytes that are neither UTF-8 nor UTF-16 and for too many of them.
 */
export function overdueXmlText(document: Uint8Array | string): string {
  return decode(document).text;
}

/**
 * Reads one that is written as JSON (§1), with the intervals that it leaves open.
 * @throws as `readOverdueXml`.
 */
export function readOverdueJson(document: string, reading: ConfigReading = {}): OverdueConfig {
  const { text } = decode(document);
  return read(text, (findings) => {
    const whole = new JsonValue(readJsonTree(text), 'The configuration', findings).record();
    const initial = whole?.take('initialReevaluationInterval');
    const written = whole?.require('overdueStates')?.items('state') ?? [];
    const states = readStates(written, readingOf(jsonForm, findings, reading));
    whole?.refuseOthers();
    checkStates(states, findings);
    checkThresholds(states, findings);
    const interval = initial === undefined ? null : jsonForm.readInterval(initial, findings);
    return withJsonDefaults(configOf(interval, states));
  });
}

/** How strictly a configuration is read. */
export interface ConfigReading {
  /**
   * Whether conditions without a criterion are accepted, as they were once: such a state never holds, and what is stored
   * stays in force with it. Default false (§1.3 rule 2).
   */
  readonly acceptsEmptyConditions?: boolean;
}

function readingOf(
  form: Form,
  findings: Findings,
  { acceptsEmptyConditions = false }: ConfigReading,
): Reading {
  return { form, findings, acceptsEmptyConditions };
}

const noConfig: OverdueConfig = { initialReevaluationInterval: null, states: [] };

const xmlForm: Form = {
  name: '@name',
  blockChanges: 'blockChanges',
  disableEntitlement: 'disableEntitlementAndChangesBlocked',
  interval: 'autoReevaluationInterval',
  responses: 'responseForLastFailedPaymentIn',
  ignored: ['enterStateEmailNotification'],
  leastTime: 0,
  readInterval(value, findings) {
    const interval = readDuration(value, findings);
    return interval === undefined || interval.unit === TimeUnit.UNLIMITED || interval.number === 0
      ? null
      : interval;
  },
};

const jsonForm: Form = {
  name: 'name',
  blockChanges: 'isBlockChanges',
  disableEntitlement: 'isDisableEntitlement',
  interval: 'autoReevaluationIntervalDays',
  responses: 'responseForLastFailedPayment',
  ignored: [],
  leastTime: 1,
  readInterval(value): Duration | null {
    const number = value.wholeNumber() ?? 0;
    return number <= 0 ? null : { unit: TimeUnit.DAYS, number };
  },
};

/** Reads no more states than there may be (§1.3 rule 6). */
function readStates(values: readonly WrittenValue[], reading: Reading): readonly ReadState[] {
  const { findings } = reading;
  const first = values[MAX_OVERDUE_STATES];
  if (first !== undefined)
    findings.add(first.at, `There are ${values.length} states; at most ${MAX_OVERDUE_STATES} are accepted`);
  return values.slice(0, MAX_OVERDUE_STATES).flatMap((value, index) => {
    const record = value.record();
    return record === undefined ? [] : readState(record, index + 1, reading);
  });
}

function configOf(initialReevaluationInterval: Duration | null, states: readonly ReadState[]): OverdueConfig {
  return { initialReevaluationInterval, states: states.map(({ state }) => state) };
}

/** Bytes of UTF-16 are two a character, and a few of UTF-8 more. */
const MOST_BYTES_PER_CHARACTER = 4;

function decode(document: Uint8Array | string): DecodedXml {
  if (document.length > MAX_OVERDUE_CONFIG_CHARACTERS * MOST_BYTES_PER_CHARACTER)
    throw tooLarge(document.length);
  try {
    return decodeXml(document);
  } catch (error) {
    if (!(error instanceof DocumentFault)) throw error;
    throw invalidOverdueConfig([{ message: error.message, line: 1, column: 1 }]);
  }
}

function tooLarge(size: number): BillingError {
  return new BillingError({
    code: ErrorCode.TOO_LARGE,
    message: `The configuration has ${size} characters; at most ${MAX_OVERDUE_CONFIG_CHARACTERS} are accepted`,
    facts: { size, limit: MAX_OVERDUE_CONFIG_CHARACTERS },
  });
}

function read(document: string, work: (findings: Findings) => OverdueConfig): OverdueConfig {
  if (document.length > MAX_OVERDUE_CONFIG_CHARACTERS) throw tooLarge(document.length);
  const findings = new Findings(document);
  const config = attempt(() => work(findings), findings);
  if (config === undefined || findings.problems.length > 0) throw invalidOverdueConfig(findings.problems);
  return config;
}

function attempt(work: () => OverdueConfig, findings: Findings): OverdueConfig | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof DocumentFault)) throw error;
    findings.add(error.offset, error.message);
    return undefined;
  }
}
