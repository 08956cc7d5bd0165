import fc from 'fast-check';
import {
  CLEAR_STATE_NAME,
  type OverdueCondition,
  overdueDefinition,
  writeOverdueXml,
} from '../../lib/overdue/config/overdue-config.ts';
import { readOverdueJson, readOverdueXml } from '../../lib/overdue/config/read-config.ts';
import type { BillingSnapshot, UnpaidInvoice } from '../../lib/overdue/evaluation/evaluate.ts';
import { evaluateOverdue } from '../../lib/overdue/evaluation/evaluate.ts';
import { overdueCalendar } from '../../lib/overdue/evaluation/explanation.ts';
import { billingSnapshot, nextCheckDate, type OverdueConfig } from '../../lib/overdue/index.ts';
import { PaymentResponse } from '../../lib/records/index.ts';
import type { Duration, LocalDate } from '../../lib/values/time/index.ts';
import { addDays, parseLocalDate, TimeUnit } from '../../lib/values/time/index.ts';
import { forAll } from '../support/for-all.ts';
import { condition, config, state } from '../support/overdue/states.ts';
import { decimal, expect, stringifyExactJson, type Uuid } from '../support/unit.ts';

const firstDay = parseLocalDate('2024-01-01');
const units = fc.constantFrom(TimeUnit.DAYS, TimeUnit.WEEKS, TimeUnit.MONTHS, TimeUnit.YEARS);
const duration = (least: number): fc.Arbitrary<Duration> =>
  fc.record({ unit: units, number: fc.integer({ min: least, max: 40 }) });
const amount = fc.integer({ min: 0, max: 100_000 }).map((cents) => decimal(cents).dividedBy(100));
const tag = fc.constantFrom('AUTO_PAY_OFF', 'PARTNER', 'TEST');
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null, freq: 2 });

const growing = {
  unpaidFor: orNull(duration(0)),
  unpaidCount: orNull(fc.nat(6)),
  unpaidTotal: orNull(amount),
};
const anyCondition: fc.Arbitrary<OverdueCondition> = fc.record({
  ...growing,
  responses: orNull(fc.subarray(Object.values(PaymentResponse), { minLength: 1 })),
  tagCarried: orNull(tag),
  tagMissing: orNull(tag),
});

/** Text that people might write in JSON, of characters that XML allows. */
const text = (most: number) =>
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: most })
    .map((found) =>
      found
        .slice(0, most)
        .toWellFormed()
        .replaceAll(/[^\t\n\r\u0020-\ufffd\u{10000}-\u{10ffff}]/gu, '.'),
    )
    .chain((found) => fc.constantFrom(found, `<${found}>"&\r\n`.slice(0, most)));

/** States of every kind, from the most to the least severe. Times decrease as JSON requires. */
const anyConfig: fc.Arbitrary<OverdueConfig> = fc
  .record({
    initial: orNull(duration(1)),
    states: fc.uniqueArray(
      fc.record({
        name: text(50),
        isClearState: fc.boolean(),
        condition: anyCondition,
        externalMessage: text(200).map((found) => found.trim()),
        blockChanges: fc.boolean(),
        disableEntitlement: fc.boolean(),
        cancellationPolicy: fc.constantFrom('NONE', 'IMMEDIATE', 'END_OF_TERM'),
        reevaluationInterval: orNull(duration(1)),
      }),
      { selector: ({ name }) => name, maxLength: 6 },
    ),
  })
  .map(({ initial, states }) => ({ initialReevaluationInterval: initial, states }));

/** Conditions that can only become true with time and debt. */
const growingConfig = fc
  .array(fc.record(growing), { minLength: 1, maxLength: 5 })
  .map((all) => config(all.map((members, index) => state(`S${index}`, { condition: condition(members) }))));

const invoice: fc.Arbitrary<UnpaidInvoice> = fc.record({
  invoiceId: fc.uuid().map((id) => id as Uuid),
  invoiceDate: fc.integer({ min: 0, max: 60 }).map((days) => addDays(firstDay, days)),
  commitDate: orNull(fc.integer({ min: 0, max: 60 }).map((days) => addDays(firstDay, days))),
  targetDate: orNull(fc.integer({ min: 0, max: 90 }).map((days) => addDays(firstDay, days))),
  balance: fc.integer({ min: 1, max: 50_000 }).map((cents) => decimal(cents).dividedBy(100)),
});
const invoices = fc.array(invoice, { maxLength: 6 });
const facts = { lastPaymentResponse: PaymentResponse.OTHER, tags: new Set<string>() };

/** Returns 0 for the most severe state; clear comes last. */
function severity(states: OverdueConfig, snapshot: BillingSnapshot, today: LocalDate): number {
  const found = evaluateOverdue(states, snapshot, today);
  return found === null ? states.states.length : states.states.indexOf(found);
}

/** Allows conditions without a criterion (overdue §1.3 rule 2). */
const AS_STORED = { acceptsEmptyConditions: true };

describe('overdue evaluation', () => {
  it('preserves a configuration that is written and read as XML (overdue §1.4)', () =>
    forAll([anyConfig], (given) => {
      expect(readOverdueXml(writeOverdueXml(given), AS_STORED)).to.eql(given);
    }));

  it('preserves a JSON configuration in XML, and shows the original values (overdue §1.2 rule 3)', () => {
    const days = fc.integer({ min: 1, max: 500 });
    const jsonConfigs = fc.record({
      given: anyConfig,
      initial: orNull(days),
      intervals: fc.array(days, { minLength: 6, maxLength: 6 }),
    });
    forAll([jsonConfigs], ({ given, initial, intervals }) => {
      const definition = overdueDefinition(given);
      const written = {
        initialReevaluationInterval: initial,
        overdueStates: definition.overdueStates.map((each, index) => ({
          ...each,
          autoReevaluationIntervalDays: intervals[index],
          condition: {
            ...each.condition,
            timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: index === 0 ? { unit: 'DAYS', number: 9 } : null,
          },
        })),
      };
      const read = readOverdueJson(stringifyExactJson(written), AS_STORED);
      expect(readOverdueXml(writeOverdueXml(read), AS_STORED)).to.eql(read);
      const shown = overdueDefinition(read);
      expect(shown.overdueStates).to.eql(
        written.overdueStates.map((each) => ({ ...each, condition: { ...each.condition } })),
      );
    });
  });

  it('yields the same or a more severe state on a later day if conditions use time, number and total (overdue §4)', () =>
    forAll([growingConfig, invoices, fc.tuple(fc.nat(400), fc.nat(400))], (states, owed, [day, more]) => {
      const [today, later] = [addDays(firstDay, day), addDays(firstDay, day + more)];
      const before = severity(states, billingSnapshot(owed, { ...facts, today }), today);
      const after = severity(states, billingSnapshot(owed, { ...facts, today: later }), later);
      expect(after).to.be.at.most(before);
    }));

  it('yields the same or a more severe state for an additional unpaid invoice if conditions use time, number and total (overdue §4)', () =>
    forAll([growingConfig, invoices, fc.tuple(invoice, fc.nat(400))], (states, owed, [further, day]) => {
      const today = addDays(firstDay, day);
      const before = severity(states, billingSnapshot(owed, { ...facts, today }), today);
      const after = severity(states, billingSnapshot([...owed, further], { ...facts, today }), today);
      expect(after).to.be.at.most(before);
    }));

  it('never changes the state before the next check (overdue §6)', () =>
    forAll([anyConfig, invoices, fc.nat(120)], (states, owed, day) => {
      const today = addDays(firstDay, day);
      const snapshot = billingSnapshot(owed, { ...facts, today });
      const next = evaluateOverdue(states, snapshot, today);
      const check = nextCheckDate({ config: states, snapshot, next, today }) ?? addDays(today, 130);
      expect(check).to.be.above(today);
      for (let date = addDays(today, 1); date < check && date < today + 130; date = addDays(date, 1)) {
        expect(evaluateOverdue(states, billingSnapshot(owed, { ...facts, today: date }), date)).to.equal(
          next,
        );
      }
    }));

  it('predicts the same steps as consecutive checks (overdue §6)', () =>
    forAll([anyConfig, invoices, fc.tuple(fc.nat(120), fc.nat(400))], (states, owed, [day, ahead]) => {
      const today = addDays(firstDay, day);
      const until = addDays(today, ahead);
      const steps: string[] = [];
      let current = CLEAR_STATE_NAME;
      for (let check: LocalDate | null = today; check !== null && check <= until; ) {
        const snapshot: BillingSnapshot = billingSnapshot(owed, { ...facts, today: check });
        const next = evaluateOverdue(states, snapshot, check);
        const name = next?.name ?? CLEAR_STATE_NAME;
        if (name !== current) steps.push(`${check} ${name}`);
        current = name;
        check = nextCheckDate({ config: states, snapshot, next, today: check });
      }
      const calendar = overdueCalendar({
        config: states,
        owed,
        facts,
        current: CLEAR_STATE_NAME,
        check: today,
        today,
        until,
      });
      expect(calendar.map(({ date, state: found }) => `${date} ${found?.name ?? CLEAR_STATE_NAME}`)).to.eql(
        steps,
      );
    }));

  it('accepts or rejects any configuration text without an unexpected error (overdue §1.3)', () => {
    const pieces = fc.constantFrom(
      '<overdueConfig>',
      '</overdueConfig>',
      '<accountOverdueStates>',
      '<state name="a">',
      '</state>',
      '{"overdueStates":[',
      ']}',
      '"',
      '<!--',
      '&amp;',
      '&',
      ']]>',
      '{',
      ',',
      'x',
      '\n',
      '\ud800',
      '1e9',
    );
    forAll([fc.array(fc.oneof(pieces, fc.string()), { maxLength: 30 })], (parts) => {
      for (const read of [readOverdueXml, readOverdueJson]) {
        try {
          read(parts.join(''));
        } catch (error) {
          expect(error).to.have.property('code', 5010);
        }
      }
    });
  });
});
