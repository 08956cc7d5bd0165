import { CLEAR_STATE_NAME } from '../../../lib/overdue/config/overdue-config.ts';
import { readOverdueJson, readOverdueXml } from '../../../lib/overdue/config/read-config.ts';
import {
  conditionXml,
  dayState,
  overdueJson,
  overdueXml,
  problemsOf,
  stateXml,
} from '../../support/overdue/documents.ts';
import { BillingError, expect } from '../../support/unit.ts';

const BEFORE_STATES = '<overdueConfig><accountOverdueStates>'.length;
const TAGGED = '<condition><controlTagInclusion>TEST</controlTagInclusion></condition>';
const longName = 'n'.repeat(51);

/** Returns the problems of a one-line XML document, with their distance from the first state. */
function ofXml(document: string): readonly string[] {
  return problemsOf(() => readOverdueXml(document)).map((problem) =>
    problem.replace(/^1:(\d+)/, (_, column: string) => String(Number(column) - BEFORE_STATES)),
  );
}

function ofJson(states: readonly unknown[], members?: object): readonly string[] {
  return problemsOf(() => readOverdueJson(overdueJson(states, members))).map((problem) =>
    problem.replace(/^1:\d+ /, ''),
  );
}

function withTime(unit: unknown, number: unknown, name = 'S'): object {
  return { name, condition: { timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: { unit, number } } };
}

describe('overdue configuration validation', () => {
  const TAGS =
    'AUTO_PAY_OFF, AUTO_INVOICING_OFF, OVERDUE_ENFORCEMENT_OFF, WRITTEN_OFF, MANUAL_PAY, TEST, PARTNER, AUTO_INVOICING_DRAFT, AUTO_INVOICING_REUSE_DRAFT';
  const RESPONSES =
    'INVALID_CARD, EXPIRED_CARD, LOST_OR_STOLEN_CARD, DO_NOT_HONOR, INSUFFICIENT_FUNDS, DECLINE, PROCESSING_ERROR, INVALID_AMOUNT, DUPLICATE_TRANSACTION, OTHER';
  const UNITS = 'DAYS, WEEKS, MONTHS, YEARS, UNLIMITED';

  for (const [title, { states, problems }] of Object.entries({
    'an unknown state element': {
      states: stateXml(`${TAGGED}<color>red</color>`),
      problems: ['87 State "S": Element "color" is unknown in Element "state"'],
    },
    'an unknown criterion': {
      states: conditionXml('<timeSince>3</timeSince>'),
      problems: ['28 State "S": Element "timeSince" is unknown in Element "condition"'],
    },
    'an unknown element among the states': {
      states: '<status/>',
      problems: ['1 Element "status" is unknown in Element "accountOverdueStates"'],
    },
    'an unknown state attribute': {
      states: '<state name="S" level="1"><isClearState>true</isClearState></state>',
      problems: ['1 State "S": Attribute "level" is unknown in Element "state"'],
    },
    'an attribute on a value': {
      states: stateXml(`${TAGGED}<blockChanges value="true"/>`),
      problems: [
        '87 State "S": Attribute "value" is unknown in Element "blockChanges"',
        '87 State "S": Element "blockChanges": "" is not true or false',
      ],
    },
    'child elements in a value': {
      states: stateXml(`${TAGGED}<externalMessage><b>x</b></externalMessage>`),
      problems: ['104 State "S": Element "b" is unknown in Element "externalMessage"'],
    },
    'text in a state': {
      states: stateXml(`${TAGGED}hello`),
      problems: ['1 Element "state" must not contain text'],
    },
    'a repeated element': {
      states: stateXml(`${TAGGED}<blockChanges>true</blockChanges><blockChanges>false</blockChanges>`),
      problems: ['120 State "S": Element "blockChanges" is repeated; keep one'],
    },
    'an unknown unit': {
      states: conditionXml(
        '<timeSinceEarliestUnpaidInvoiceEqualsOrExceeds><unit>HOURS</unit><number>3</number></timeSinceEarliestUnpaidInvoiceEqualsOrExceeds>',
      ),
      problems: [`75 State "S": Element "unit": "HOURS" is not one of ${UNITS}`],
    },
    'a duration without unit and number': {
      states: stateXml(`${TAGGED}<autoReevaluationInterval/>`),
      problems: [
        '87 State "S": Element "autoReevaluationInterval" lacks "unit"',
        '87 State "S": Element "autoReevaluationInterval" lacks "number"',
      ],
    },
    'an unknown policy': {
      states: stateXml(`${TAGGED}<subscriptionCancellationPolicy>SOON</subscriptionCancellationPolicy>`),
      problems: [
        '87 State "S": Element "subscriptionCancellationPolicy": "SOON" is not one of NONE, IMMEDIATE, END_OF_TERM',
      ],
    },
    'unknown tags, including the engine’s internal tag': {
      states: conditionXml(
        '<controlTagInclusion>VIP</controlTagInclusion><controlTagExclusion>__PARK__</controlTagExclusion>',
      ),
      problems: [
        `28 State "S": Element "controlTagInclusion": "VIP" is not one of ${TAGS}`,
        `74 State "S": Element "controlTagExclusion": "__PARK__" is not one of ${TAGS}`,
      ],
    },
    'an unknown response': {
      states: conditionXml(
        '<responseForLastFailedPaymentIn><response>OTHER</response><response>BAD_LUCK</response></responseForLastFailedPaymentIn>',
      ),
      problems: [`86 State "S": Element "response": "BAD_LUCK" is not one of ${RESPONSES}`],
    },
    'another element in the list of responses': {
      states: conditionXml(
        '<responseForLastFailedPaymentIn><reply>OTHER</reply></responseForLastFailedPaymentIn>',
      ),
      problems: ['60 State "S": Element "reply" is unknown in Element "responseForLastFailedPaymentIn"'],
    },
    'a missing name': {
      states: '<state><isClearState>true</isClearState></state>',
      problems: ['1 State 1: it has no name'],
    },
    'an empty name': { states: stateXml(TAGGED, ''), problems: ['1 State 1: its name is empty'] },
    'a name of 51 characters': {
      states: stateXml(TAGGED, longName),
      problems: [`1 State "${longName}": its name has 51 characters; at most 50 are accepted`],
    },
    'a duplicate name': {
      states: stateXml(TAGGED, 'A') + stateXml(TAGGED, 'B') + stateXml(TAGGED, 'A'),
      problems: ['189 State "A": another state has the same name'],
    },
    'the name of the clear state': {
      states: stateXml('<isClearState>true</isClearState>', CLEAR_STATE_NAME),
      problems: [`1 State "${CLEAR_STATE_NAME}": its name is reserved for the clear state`],
    },
  }))
    it(`rejects ${title} (overdue §1.3 rule 1)`, () => expect(ofXml(overdueXml(states))).to.eql(problems));

  it('accepts a name of 50 characters (overdue §1.3 rule 1)', () =>
    expect(ofXml(overdueXml(stateXml(TAGGED, 'n'.repeat(50))))).to.eql([]));

  for (const [title, { document, problems }] of Object.entries({
    'another root': {
      document: '<catalog/>',
      problems: ['1:1 The root element is "overdueConfig", not "catalog"'],
    },
    'no states': {
      document: '<overdueConfig/>',
      problems: ['1:1 Element "overdueConfig" lacks "accountOverdueStates"'],
    },
    'two lists of states': {
      document: '<overdueConfig>\n<accountOverdueStates/>\n  <accountOverdueStates/></overdueConfig>',
      problems: ['3:3 Element "accountOverdueStates" is repeated; keep one'],
    },
    'an unclosed element': { document: '<overdueConfig>\n', problems: ['1:16 unclosed tag: overdueConfig'] },
    'a wrong end tag': {
      document: '<overdueConfig>\n</accountOverdueStates>',
      problems: ['2:1 The end tag "accountOverdueStates" does not close "overdueConfig"'],
    },
    'no element': { document: 'overdue', problems: ['1:8 text data outside of root node.'] },
    'an empty document': { document: '', problems: ['1:1 document must contain a root element.'] },
    'a lone ampersand': {
      document: '<overdueConfig>a & b</overdueConfig>',
      problems: ['1:18 This "&" does not begin a reference; write &amp;'],
    },
  }))
    it(`rejects malformed XML with ${title} (overdue §1.3 rule 1)`, () =>
      expect(problemsOf(() => readOverdueXml(document))).to.eql(problems));

  for (const [title, { document, problems }] of Object.entries({
    'a text that ends early': {
      document: '{"overdueStates":',
      problems: ['1:18 Not JSON: the text ends where a value is expected'],
    },
    'an extra comma': {
      document: '{"overdueStates": [\n  5,\n]}',
      problems: ['3:1 Not JSON: a value is expected here'],
    },
    'single quotes': {
      document: "{'overdueStates': []}",
      problems: ['1:2 Not JSON: a name in double quotes is expected here'],
    },
    'trailing text': {
      document: '{"overdueStates": []} x',
      problems: ['1:23 Not JSON: Nothing may follow the value'],
    },
    'an invalid escape': {
      document: '{"overdueStates": "\\x"}',
      problems: ['1:19 Not JSON: the string contains a control character or an invalid escape'],
    },
    'an object as the list of states': {
      document: '{"overdueStates": {}}',
      problems: ['1:19 Property "overdueStates": an object is not a list'],
    },
    'a list as the root': { document: '[]', problems: ['1:1 The configuration: a list is not an object'] },
    'no states': { document: '{}', problems: ['1:1 The configuration lacks "overdueStates"'] },
    'a blank document': {
      document: ' ',
      problems: ['1:2 Not JSON: the text ends where a value is expected'],
    },
    'duplicate names': {
      document: '{"overdueStates": [], "overdueStates": []}',
      problems: ['1:40 Property "overdueStates" is repeated; keep one'],
    },
    'an unknown property': {
      document: '{"overdueStates": [],\n "states": []}',
      problems: ['2:12 Property "states" is unknown in The configuration'],
    },
  }))
    it(`rejects malformed JSON with ${title} (overdue §1.3 rule 1)`, () =>
      expect(problemsOf(() => readOverdueJson(document))).to.eql(problems));

  for (const [title, { states, problems }] of Object.entries({
    'rejects an unknown property of a state or a condition (overdue §1.3 rule 1)': {
      states: [{ name: 'S', blockChanges: true, condition: { tag: 'TEST' } }],
      problems: [
        'State "S": Property "blockChanges" is unknown in Property "overdueStates"',
        'State "S": Property "tag" is unknown in Property "condition"',
      ],
    },
    'rejects unknown enum values (overdue §1.3 rule 1)': {
      states: [
        {
          name: 'S',
          subscriptionCancellationPolicy: 'soon',
          condition: { controlTagInclusion: 'VIP', responseForLastFailedPayment: ['OTHER', 'NO'] },
        },
      ],
      problems: [
        'State "S": Property "subscriptionCancellationPolicy": "soon" is not one of NONE, IMMEDIATE, END_OF_TERM',
        `State "S": Property "controlTagInclusion": "VIP" is not one of ${TAGS}`,
        `State "S": Property "responseForLastFailedPayment": "NO" is not one of ${RESPONSES}`,
      ],
    },
    'rejects values of another type (overdue §1.3 rule 1)': {
      states: [
        {
          name: ['S'],
          isClearState: 1,
          isBlockChanges: 'yes',
          externalMessage: {},
          autoReevaluationIntervalDays: 1.5,
          condition: {
            numberOfUnpaidInvoicesEqualsOrExceeds: true,
            totalUnpaidInvoiceBalanceEqualsOrExceeds: 'much',
            responseForLastFailedPayment: 'OTHER',
            timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: 30,
          },
        },
        'WARNED',
      ],
      problems: [
        'Property "name": a list is not a text',
        'State 1: Property "isClearState": 1 is not true or false',
        'State 1: Property "isBlockChanges": "yes" is not true or false',
        'State 1: Property "externalMessage": an object is not a text',
        'State 1: Property "autoReevaluationIntervalDays": 1.5 is not a whole number of 32 bits',
        'State 1: Property "numberOfUnpaidInvoicesEqualsOrExceeds": true is not a whole number of 32 bits',
        'State 1: Property "totalUnpaidInvoiceBalanceEqualsOrExceeds": "much" is not a decimal number',
        'State 1: Property "responseForLastFailedPayment": "OTHER" is not a list',
        'State 1: Property "timeSinceEarliestUnpaidInvoiceEqualsOrExceeds": 30 is not an object',
        'Property "overdueStates": "WARNED" is not an object',
      ],
    },
    'rejects a character that XML does not allow (overdue §1.3 rule 1)': {
      states: [
        { ...dayState(3, 'a\u0000b') },
        { ...dayState(2, 'C'), externalMessage: '\u0007' },
        { ...dayState(1, 'D'), externalMessage: '\ud800' },
      ],
      problems: [
        'Property "name" contains a character that XML does not allow',
        'State "C": Property "externalMessage" contains a character that XML does not allow',
        'State "D": Property "externalMessage" contains a character that XML does not allow',
      ],
    },
    'rejects a state with neither a condition nor isClearState (overdue §1.3 rule 2)': {
      states: [
        { name: 'A' },
        { name: 'B', isClearState: false, condition: null },
        { name: 'C', isClearState: true },
      ],
      problems: [
        'State "A": it has neither a condition nor isClearState',
        'State "B": it has neither a condition nor isClearState',
      ],
    },
    'rejects a condition without a criterion (overdue §1.3 rule 2, R59)': {
      states: [
        { name: 'A', condition: {} },
        {
          name: 'B',
          condition: {
            timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: null,
            numberOfUnpaidInvoicesEqualsOrExceeds: null,
            totalUnpaidInvoiceBalanceEqualsOrExceeds: null,
            responseForLastFailedPayment: [],
            controlTagInclusion: '',
            controlTagExclusion: null,
          },
        },
        { name: 'C', isClearState: true, condition: { controlTagInclusion: null } },
        { name: 'D', condition: { controlTagInclusion: 'TEST', responseForLastFailedPayment: [] } },
        { name: 'E', condition: { responseForLastFailedPayment: [], numberOfUnpaidInvoices: 1 } },
      ],
      problems: [
        'State "A": its condition has no criterion',
        'State "B": its condition has no criterion',
        'State "E": Property "numberOfUnpaidInvoices" is unknown in Property "condition"',
      ],
    },
    'rejects negative numbers (overdue §1.3 rule 3)': {
      states: [
        { ...withTime('DAYS', -3, 'T') },
        { name: 'C', condition: { numberOfUnpaidInvoicesEqualsOrExceeds: -1 } },
        { name: 'B', condition: { totalUnpaidInvoiceBalanceEqualsOrExceeds: -0.01 } },
      ],
      problems: [
        'State "T": Property "number": -3 is below 1',
        'State "C": Property "numberOfUnpaidInvoicesEqualsOrExceeds": -1 is negative',
        'State "B": Property "totalUnpaidInvoiceBalanceEqualsOrExceeds": -0.01 is negative',
      ],
    },
    'rejects a time of 0 (overdue §1.3 rule 3)': {
      states: [withTime('WEEKS', 0)],
      problems: ['State "S": Property "number": 0 is below 1'],
    },
    'rejects a threshold that is not below the previous one (overdue §1.3 rule 4, §12 example 15)': {
      states: [dayState(8, 'WARN'), dayState(20, 'BLOCK')],
      problems: ['State "BLOCK": its time must be less than that of the more severe state "WARN"'],
    },
    'rejects equal thresholds (overdue §1.3 rule 4)': {
      states: [dayState(8, 'A'), dayState(8, 'B')],
      problems: ['State "B": its time must be less than that of the more severe state "A"'],
    },
    'rejects misordered thresholds even with a state without threshold between them (overdue §1.3 rule 4)': {
      states: [
        dayState(8, 'A'),
        { name: 'M', condition: { numberOfUnpaidInvoicesEqualsOrExceeds: 1 } },
        dayState(9, 'B'),
      ],
      problems: ['State "B": its time must be less than that of the more severe state "A"'],
    },
    'counts months as 30 days and years as 365 when it compares thresholds (overdue §1.3 rule 4)': {
      states: [
        withTime('YEARS', 1, 'A'),
        withTime('DAYS', 365, 'B'),
        withTime('MONTHS', 12, 'C'),
        withTime('WEEKS', 52, 'D'),
      ],
      problems: [
        'State "B": its time must be less than that of the more severe state "A"',
        'State "D": its time must be less than that of the more severe state "C"',
      ],
    },
  }))
    it(title, () => expect(ofJson(states)).to.eql(problems));

  it('rejects negative numbers in XML and accepts a time of 0 (overdue §1.3 rule 3)', () => {
    const time = (number: number) =>
      `<timeSinceEarliestUnpaidInvoiceEqualsOrExceeds><unit>DAYS</unit><number>${number}</number></timeSinceEarliestUnpaidInvoiceEqualsOrExceeds>`;
    expect(ofXml(overdueXml(conditionXml(time(0))))).to.eql([]);
    const interval =
      '<autoReevaluationInterval><unit>DAYS</unit><number>-1</number></autoReevaluationInterval>';
    expect(ofXml(overdueXml(conditionXml(time(-1)).replace('</state>', `${interval}</state>`)))).to.eql([
      '92 State "S": Element "number": -1 is below 0',
      '214 State "S": Element "number": -1 is below 0',
    ]);
  });

  it('accepts thresholds in any order in XML (overdue §1.3 rule 4)', () => {
    const time = (days: number, name: string) =>
      conditionXml(
        `<timeSinceEarliestUnpaidInvoiceEqualsOrExceeds><unit>DAYS</unit><number>${days}</number></timeSinceEarliestUnpaidInvoiceEqualsOrExceeds>`,
      ).replace('"S"', `"${name}"`);
    expect(ofXml(overdueXml(time(8, 'A') + time(20, 'B')))).to.eql([]);
  });

  it('lists all errors in document order, each with line and column (overdue §1.3 rule 6)', () => {
    const document = `<?xml version="1.0" encoding="UTF-8"?>
<overdueConfig>
  <accountOverdueStates>
    <initialReevaluationInterval><unit>DAY</unit><number>x</number></initialReevaluationInterval>
    <state name="BLOCKED">
      <condition>
        <numberOfUnpaidInvoicesEqualsOrExceeds>-2</numberOfUnpaidInvoicesEqualsOrExceeds>
        <controlTagExclusion>PARTNERS</controlTagExclusion>
      </condition>
      <blockChanges>perhaps</blockChanges>
    </state>
    <state name="BLOCKED">
      <externalMassage>Pay!</externalMassage>
    </state>
    <state/>
  </accountOverdueStates>
</overdueConfig>`;
    expect(problemsOf(() => readOverdueXml(document))).to.eql([
      `4:34 Element "unit": "DAY" is not one of ${UNITS}`,
      '4:50 Element "number": "x" is not a whole number of 32 bits',
      '7:9 State "BLOCKED": Element "numberOfUnpaidInvoicesEqualsOrExceeds": -2 is negative',
      `8:9 State "BLOCKED": Element "controlTagExclusion": "PARTNERS" is not one of ${TAGS}`,
      '10:7 State "BLOCKED": Element "blockChanges": "perhaps" is not true or false',
      '12:5 State "BLOCKED": it has neither a condition nor isClearState',
      '12:5 State "BLOCKED": another state has the same name',
      '13:7 State "BLOCKED": Element "externalMassage" is unknown in Element "state"',
      '15:5 State 3: it has no name',
      '15:5 State 3: it has neither a condition nor isClearState',
    ]);
  });

  it('reports the state, the rule and the position in the message (overdue §10)', () =>
    expect(() => readOverdueJson(overdueJson([{ name: 'A' }]))).to.throw(
      BillingError,
      'Invalid overdue configuration: line 1, column 19: State "A": it has neither a condition nor isClearState',
    ));

  it('rejects more than 100 states (overdue §1.3 rule 6)', () => {
    const states = Array.from({ length: 101 }, (_, index) => dayState(200 - index, `S${index}`));
    expect(ofJson(states.slice(1))).to.eql([]);
    expect(ofJson(states)).to.eql(['There are 101 states; at most 100 are accepted']);
  });

  it('reports the total number of errors when some are not listed', () => {
    const problems = problemsOf(() => readOverdueXml(overdueXml('<x/>'.repeat(1_002))));
    expect(problems).to.have.length(1_001);
    expect(problems.at(-1)).to.match(/2 more errors were found$/);
  });
});
