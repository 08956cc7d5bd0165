import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OverdueCondition } from '../../../lib/overdue/config/overdue-config.ts';
import { overdueDefinition, wholeDays, writeOverdueXml } from '../../../lib/overdue/config/overdue-config.ts';
import { overdueXmlText, readOverdueJson, readOverdueXml } from '../../../lib/overdue/config/read-config.ts';
import { defaultOverdueConfig, type OverdueState } from '../../../lib/overdue/index.ts';
import { PaymentResponse } from '../../../lib/records/index.ts';
import {
  conditionXml,
  dayState,
  overdueJson,
  overdueXml,
  stateXml,
} from '../../support/overdue/documents.ts';
import { condition, config, duration, state, stateAt } from '../../support/overdue/states.ts';
import { rowsOf } from '../../support/rows.ts';
import { BillingError, decimal, expect, stringifyExactJson } from '../../support/unit.ts';

const rules = readFileSync(join(import.meta.dirname, '../../../lib/overdue/RULES.md'), 'utf8');

/** Returns the example in that language from the rules. */
function example(language: string): string {
  return new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(rules)?.[1] ?? '';
}

const partners = config(
  [
    stateAt(20, 'BLOCKED', {
      condition: condition({ unpaidFor: duration('20 DAYS'), tagMissing: 'PARTNER' }),
      externalMessage: 'Service suspended',
      disableEntitlement: true,
    }),
    stateAt(8, 'WARNED', {
      condition: condition({
        unpaidFor: duration('8 DAYS'),
        responses: ['EXPIRED_CARD', 'INSUFFICIENT_FUNDS'],
      }),
      blockChanges: true,
      reevaluationInterval: duration('12 DAYS'),
    }),
  ],
  8,
);

describe('overdue configuration as XML and JSON', () => {
  it('is equivalent in both forms (overdue §1.4)', () => {
    expect(readOverdueXml(example('xml'))).to.eql(partners);
    expect(readOverdueJson(example('json'))).to.eql(partners);
  });

  it('is written in the documented form (overdue §1.4)', () => {
    expect(JSON.parse(stringifyExactJson(overdueDefinition(partners)))).to.eql(JSON.parse(example('json')));
    expect(readOverdueXml(writeOverdueXml(partners))).to.eql(partners);
  });

  it('has no overdue states by default (overdue §1.2 rule 1)', () => {
    const text =
      '<overdueConfig><accountOverdueStates><state name="Clear"><isClearState>true</isClearState></state></accountOverdueStates></overdueConfig>';
    expect(readOverdueXml(text)).to.eql(defaultOverdueConfig);
    expect(writeOverdueXml(defaultOverdueConfig).replaceAll(/\n */g, '')).to.equal(
      `<?xml version="1.0" encoding="UTF-8"?>${text}`,
    );
  });

  const entered = { condition: { numberOfUnpaidInvoicesEqualsOrExceeds: 1 } };
  const enteredXml =
    '<condition><numberOfUnpaidInvoicesEqualsOrExceeds>1</numberOfUnpaidInvoicesEqualsOrExceeds></condition>';
  interface StateCase {
    readonly xml: string;
    readonly json: object;
    readonly expected: Partial<OverdueState>;
  }
  const stateCases: Readonly<Record<string, StateCase>> = {
    'name only': { xml: '', json: {}, expected: {} },
    isClearState: {
      xml: '<isClearState>true</isClearState>',
      json: { isClearState: true },
      expected: { isClearState: true },
    },
    externalMessage: {
      xml: '<externalMessage> Pay &amp; go on\n</externalMessage>',
      json: { externalMessage: ' Pay & go on\n' },
      expected: { externalMessage: 'Pay & go on' },
    },
    'empty externalMessage': { xml: '<externalMessage/>', json: { externalMessage: '' }, expected: {} },
    blockChanges: {
      xml: '<blockChanges>true</blockChanges>',
      json: { isBlockChanges: true },
      expected: { blockChanges: true },
    },
    disableEntitlement: {
      xml: '<disableEntitlementAndChangesBlocked>true</disableEntitlementAndChangesBlocked>',
      json: { isDisableEntitlement: true },
      expected: { disableEntitlement: true },
    },
    'false flags': {
      xml: '<isClearState>false</isClearState><blockChanges>false</blockChanges>',
      json: { isClearState: false, isBlockChanges: false, isDisableEntitlement: false },
      expected: {},
    },
    ...rowsOf(['NONE', 'IMMEDIATE', 'END_OF_TERM'], (policy) => [
      `subscriptionCancellationPolicy ${policy}`,
      {
        xml: `<subscriptionCancellationPolicy>${policy}</subscriptionCancellationPolicy>`,
        json: { subscriptionCancellationPolicy: policy },
        expected: { cancellationPolicy: policy },
      },
    ]),
    autoReevaluationInterval: {
      xml: '<autoReevaluationInterval><unit>DAYS</unit><number>12</number></autoReevaluationInterval>',
      json: { autoReevaluationIntervalDays: 12 },
      expected: { reevaluationInterval: duration('12 DAYS') },
    },
    'autoReevaluationInterval of 0': {
      xml: '<autoReevaluationInterval><unit>DAYS</unit><number>0</number></autoReevaluationInterval>',
      json: { autoReevaluationIntervalDays: 0 },
      expected: {},
    },
  };
  for (const [field, { xml, json, expected }] of Object.entries(stateCases))
    it(`includes the state’s ${field} (overdue §1.1)`, () => {
      const all = config([state('S', { condition: condition({ unpaidCount: 1 }), ...expected })]);
      expect(readOverdueXml(overdueXml(stateXml(enteredXml + xml)))).to.eql(all);
      expect(readOverdueJson(overdueJson([{ name: 'S', ...entered, ...json }]))).to.eql(all);
    });

  const time = (unit: string, number: string) =>
    `<timeSinceEarliestUnpaidInvoiceEqualsOrExceeds><unit>${unit}</unit><number>${number}</number></timeSinceEarliestUnpaidInvoiceEqualsOrExceeds>`;
  interface CriterionCase {
    readonly criterion: string;
    readonly xml: string;
    readonly json: object;
    readonly expected: Partial<OverdueCondition>;
    /** True for a condition without a criterion, which only stored configurations may have. */
    readonly isEmpty?: true;
  }
  const criterionCases: readonly CriterionCase[] = [
    ...(['DAYS', 'WEEKS', 'MONTHS', 'YEARS'] as const).map((unit) => ({
      criterion: `time in ${unit}`,
      xml: time(unit, '3'),
      json: { timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: { unit, number: 3 } },
      expected: { unpaidFor: { unit, number: 3 } },
    })),
    {
      criterion: 'time UNLIMITED',
      xml: '<timeSinceEarliestUnpaidInvoiceEqualsOrExceeds><unit>UNLIMITED</unit></timeSinceEarliestUnpaidInvoiceEqualsOrExceeds>',
      json: { timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: { unit: 'UNLIMITED', number: -1 } },
      expected: { unpaidFor: duration('-1 UNLIMITED') },
    },
    {
      criterion: 'count',
      xml: '<numberOfUnpaidInvoicesEqualsOrExceeds>3</numberOfUnpaidInvoicesEqualsOrExceeds>',
      json: { numberOfUnpaidInvoicesEqualsOrExceeds: 3 },
      expected: { unpaidCount: 3 },
    },
    {
      criterion: 'total',
      xml: '<totalUnpaidInvoiceBalanceEqualsOrExceeds> 260.05 </totalUnpaidInvoiceBalanceEqualsOrExceeds>',
      json: { totalUnpaidInvoiceBalanceEqualsOrExceeds: 260.05 },
      expected: { unpaidTotal: decimal('260.05') },
    },
    {
      criterion: 'every response',
      xml: `<responseForLastFailedPaymentIn>${Object.keys(PaymentResponse)
        .map((word) => `<response>${word}</response>`)
        .join('')}</responseForLastFailedPaymentIn>`,
      json: { responseForLastFailedPayment: Object.keys(PaymentResponse) },
      expected: { responses: Object.values(PaymentResponse) },
    },
    {
      criterion: 'no response',
      xml: '<responseForLastFailedPaymentIn/>',
      json: { responseForLastFailedPayment: [] },
      expected: {},
      isEmpty: true,
    },
    {
      criterion: 'tag in',
      xml: '<controlTagInclusion>AUTO_PAY_OFF</controlTagInclusion>',
      json: { controlTagInclusion: 'AUTO_PAY_OFF' },
      expected: { tagCarried: 'AUTO_PAY_OFF' },
    },
    {
      criterion: 'tag out',
      xml: '<controlTagExclusion>PARTNER</controlTagExclusion>',
      json: { controlTagExclusion: 'PARTNER' },
      expected: { tagMissing: 'PARTNER' },
    },
    { criterion: 'none', xml: '', json: {}, expected: {}, isEmpty: true },
  ];
  for (const { criterion, xml, json, expected, isEmpty = false } of criterionCases) {
    const inXml = overdueXml(conditionXml(xml));
    const inJson = overdueJson([{ name: 'S', condition: json }]);
    it(`includes the criterion "${criterion}"${isEmpty ? ', as it is stored' : ''} (overdue §1.1)`, () => {
      const states = [state('S', { condition: condition(expected) })];
      const reading = { acceptsEmptyConditions: isEmpty };
      expect(readOverdueXml(inXml, reading).states).to.eql(states);
      expect(readOverdueJson(inJson, reading).states).to.eql(states);
    });
    if (isEmpty)
      it(`rejects the empty condition "${criterion}" in both forms and names the state (overdue §1.3 rule 2)`, () => {
        for (const read of [() => readOverdueXml(inXml), () => readOverdueJson(inJson)])
          expect(read).to.throw(BillingError, 'State "S": its condition has no criterion');
      });
  }

  it('may contain all criteria of one condition in any order (overdue §1.1)', () => {
    const all = condition({
      unpaidFor: duration('3 MONTHS'),
      unpaidCount: 2,
      unpaidTotal: decimal('0.01'),
      responses: ['OTHER'],
      tagCarried: 'TEST',
      tagMissing: 'PARTNER',
    });
    const xml = criterionCases
      .filter(({ criterion }) =>
        ['tag out', 'tag in', 'count', 'total', 'time in MONTHS'].includes(criterion),
      )
      .reverse()
      .map((each) => each.xml);
    const read = readOverdueXml(overdueXml(conditionXml(xml.join(''))));
    expect(Object.entries(read.states[0]?.condition ?? {}).filter(([, value]) => value === null)).to.eql([
      ['responses', null],
    ]);
    expect(
      readOverdueXml(writeOverdueXml(config([state('S', { condition: all })]))).states[0]?.condition,
    ).to.eql(all);
  });

  it('may contain enterStateEmailNotification, which is ignored (overdue §1.1)', () => {
    const email =
      '<enterStateEmailNotification><subject>x</subject><isHTML>true</isHTML></enterStateEmailNotification>';
    expect(readOverdueXml(overdueXml(stateXml(`<isClearState>true</isClearState>${email}`))).states).to.eql([
      state('S', { isClearState: true, condition: null }),
    ]);
  });

  for (const { unit, number, expected } of [
    { unit: 'WEEKS', number: 2, expected: duration('2 WEEKS') },
    { unit: 'MONTHS', number: 1, expected: duration('1 MONTHS') },
    { unit: 'DAYS', number: 0, expected: null },
    { unit: 'UNLIMITED', number: -1, expected: null },
  ])
    it(`reads an initial interval of ${number} ${unit} as ${expected === null ? 'absent' : 'given'} (overdue §1.1 rule 2)`, () => {
      const initial = `<initialReevaluationInterval><unit>${unit}</unit><number>${number}</number></initialReevaluationInterval>`;
      expect(readOverdueXml(overdueXml('', initial)).initialReevaluationInterval).to.eql(expected);
    });

  it('may contain JSON scalars of another type, and null or empty strings for absent values (http-api §9 rules 6 and 7)', () => {
    const given = {
      name: 42,
      isClearState: 'false',
      isBlockChanges: 'true',
      externalMessage: null,
      subscriptionCancellationPolicy: '',
      autoReevaluationIntervalDays: '7',
      condition: {
        totalUnpaidInvoiceBalanceEqualsOrExceeds: '500.0',
        numberOfUnpaidInvoicesEqualsOrExceeds: '3',
        controlTagInclusion: '',
        timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: null,
      },
    };
    expect(readOverdueJson(overdueJson([given]))).to.eql(
      config([
        state('42', {
          blockChanges: true,
          reevaluationInterval: duration('7 DAYS'),
          condition: condition({ unpaidCount: 3, unpaidTotal: decimal(500) }),
        }),
      ]),
    );
  });

  it('may have a byte order mark, UTF-16 or a declared encoding (overdue §1.2 rule 3)', () => {
    const text = `<?xml version="1.0" encoding="UTF-16"?>${overdueXml(stateXml('<isClearState>1</isClearState>', 'Grün'))}`;
    const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
    expect(readOverdueXml(bytes).states[0]?.name).to.equal('Grün');
    expect(overdueXmlText(bytes)).to.equal(text);
    expect(readOverdueJson(`\uFEFF ${overdueJson([dayState(3, 'S')])}`).states[0]?.name).to.equal('S');
  });

  it('may contain a schema reference, comments, processing instructions and CDATA', () => {
    const document = `<?xml version="1.0"?><!-- dunning --><?keep it?><overdueConfig
      xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="OverdueConfig.xsd">
      <accountOverdueStates><state name="S"><!-- soon --><isClearState>true</isClearState>
      <externalMessage><![CDATA[a < b]]></externalMessage></state></accountOverdueStates></overdueConfig>`;
    expect(readOverdueXml(document).states).to.eql([
      state('S', { isClearState: true, condition: null, externalMessage: 'a < b' }),
    ]);
  });

  describe('interval calculation', () => {
    const read = (states: readonly object[], initial?: number | null) => {
      const { initialReevaluationInterval, states: found } = readOverdueJson(
        overdueJson(states, initial === undefined ? {} : { initialReevaluationInterval: initial }),
      );
      return {
        initial: initialReevaluationInterval,
        intervals: found.map(({ reevaluationInterval }) => reevaluationInterval),
      };
    };

    it('derives intervals from the thresholds (overdue §12 example 15)', () => {
      const block = dayState(20, 'BLOCK', { isBlockChanges: true, isDisableEntitlement: true });
      expect(read([block, dayState(8, 'WARN')], null)).to.eql({
        initial: duration('8 DAYS'),
        intervals: [null, duration('12 DAYS')],
      });
    });

    it('keeps the given intervals (overdue §1.3 rule 5)', () => {
      const states = [
        dayState(20, 'B', { autoReevaluationIntervalDays: 2 }),
        dayState(8, 'W', { autoReevaluationIntervalDays: 3 }),
      ];
      expect(read(states, 4)).to.eql({
        initial: duration('4 DAYS'),
        intervals: [duration('2 DAYS'), duration('3 DAYS')],
      });
    });

    it('replaces intervals of 0 or less with intervals derived from the thresholds (overdue §1.3 rule 5)', () => {
      const states = [
        dayState(20, 'B', { autoReevaluationIntervalDays: -1 }),
        dayState(8, 'W', { autoReevaluationIntervalDays: 0 }),
      ];
      expect(read(states, -3)).to.eql({
        initial: duration('8 DAYS'),
        intervals: [null, duration('12 DAYS')],
      });
    });

    it('skips states that have no time, and a state called clear (overdue §1.3 rule 5)', () => {
      const states = [
        dayState(20, 'B'),
        { name: 'MANY', condition: { numberOfUnpaidInvoicesEqualsOrExceeds: 3 } },
        dayState(15, 'CLEAR', { isClearState: true }),
        dayState(8, 'W'),
      ];
      expect(read(states)).to.eql({
        initial: duration('8 DAYS'),
        intervals: [null, null, null, duration('12 DAYS')],
      });
    });

    it('counts months as 30 days and years as 365 days in mixed units (overdue §1.3 rule 5)', () => {
      const timed = (unit: string, number: number, name: string) => ({
        name,
        condition: { timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: { unit, number } },
      });
      const states = [
        timed('UNLIMITED', -1, 'A'),
        timed('YEARS', 1, 'B'),
        timed('MONTHS', 2, 'C'),
        timed('WEEKS', 1, 'D'),
      ];
      expect(read(states)).to.eql({
        initial: duration('1 WEEKS'),
        intervals: [null, null, duration('305 DAYS'), duration('53 DAYS')],
      });
    });
  });

  for (const { interval, days } of [
    { interval: duration('5 DAYS'), days: 5 },
    { interval: duration('2 WEEKS'), days: 14 },
    { interval: duration('306783378 WEEKS'), days: 2_147_483_646 },
    { interval: duration('306783379 WEEKS'), days: null },
    { interval: duration('1 MONTHS'), days: null },
    { interval: duration('1 YEARS'), days: null },
    { interval: null, days: null },
  ])
    it(`shows an interval of ${interval?.number ?? 'no'} ${interval?.unit ?? 'length'} as ${days ?? 'an absent number of'} days (overdue §10)`, () => {
      expect(wholeDays(interval)).to.equal(days);
      const shown = overdueDefinition({
        initialReevaluationInterval: interval,
        states: [state('S', { reevaluationInterval: interval })],
      });
      expect(shown.initialReevaluationInterval).to.equal(days);
      expect(shown.overdueStates[0]?.autoReevaluationIntervalDays).to.equal(days);
    });
});
