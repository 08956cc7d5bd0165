import type { Uuid } from '../../lib/index.ts';
import { catalogXml, lists, phase, plan, price } from '../support/catalogs/catalog-document.ts';
import { eachDatabaseByTurns, engineBeforeEach, expect, expectCode } from '../support/index.ts';

const TEN_USD_NIL_EUR = price('USD', '10') + price('EUR', null);

/** The price of W20 once in every period, and once as a fixed price before it. */
const catalog = catalogXml({
  currencies: ['USD', 'EUR', 'GBP'],
  plans:
    plan('p-monthly', 'P', { price: TEN_USD_NIL_EUR }) +
    plan('p-setup', 'P', { initialPhases: phase('DISCOUNT', { fixed: TEN_USD_NIL_EUR }), price: '' }) +
    plan('p-free', 'P', { price: '' }),
  priceLists: lists({ DEFAULT: ['p-monthly', 'p-setup', 'p-free'] }),
}).replace('<catalog>', '<catalog xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">');

eachDatabaseByTurns('prices in currencies, on invoices', (open) => {
  const engine = engineBeforeEach(open, { now: '2024-01-01T00:00:00Z', catalog });

  async function subscribed(currency: 'USD' | 'EUR' | 'GBP', planName: string): Promise<Uuid> {
    const account = await engine.payingAccount({ currency });
    await engine.subscribe({ accountId: account.id, planName });
    return account.id;
  }

  const linesOf = (accountId: Uuid): Promise<readonly string[]> => engine.linesOf(accountId);

  it('catalog W20 Currency: a price is billed in its currency', async () => {
    const accountId = await subscribed('USD', 'p-monthly');
    await engine.runTo('2024-02-01T00:00:00Z');
    expect(await linesOf(accountId)).to.eql([
      'RECURRING 2024-01-01..2024-02-01 10',
      'RECURRING 2024-02-01..2024-03-01 10',
    ]);
    expect(await linesOf(await subscribed('USD', 'p-setup'))).to.eql(['FIXED 2024-02-01..2024-03-02 10']);
  });

  for (const [currency, code] of [
    ['EUR', 2011],
    ['GBP', 2010],
  ] as const) {
    for (const planName of ['p-monthly', 'p-setup']) {
      it(`catalog W20 Currency: ${planName} is not sold in ${currency}, error ${code}`, () =>
        expectCode(subscribed(currency, planName), code));
    }

    it(`catalog W20 Currency: a version without a price in ${currency} for existing subscriptions is no invoice but error ${code}, and keeps nobody else from being billed`, async () => {
      const accountId = await subscribed(currency, 'p-free');
      const other = await subscribed('USD', 'p-free');
      const later = catalog.replace('2024-01-01T00:00:00Z', '2024-01-15T00:00:00Z').replace(
        plan('p-free', 'P', { price: '' }),
        plan('p-free', 'P', {
          price: TEN_USD_NIL_EUR,
          more: '<effectiveDateForExistingSubscriptions>2024-02-01</effectiveDateForExistingSubscriptions>',
        }),
      );
      await engine.acme.uploadCatalog(later);
      await engine.runTo('2024-02-01T00:00:00Z');
      await expectCode(engine.acme.generateInvoice({ accountId }), code);
      await expectCode(engine.acme.invoices.dryRun({ accountId }), code);
      expect(await linesOf(accountId)).to.eql(['RECURRING 2024-01-01..2024-02-01 0']);
      expect(await linesOf(other)).to.include('RECURRING 2024-02-01..2024-03-01 10');
    });
  }

  it('catalog W20 Currency: an empty price is 0.00 in every currency, and what is free is invoiced', async () => {
    const accountId = await subscribed('GBP', 'p-free');
    await engine.runTo('2024-02-01T00:00:00Z');
    expect(await linesOf(accountId)).to.eql([
      'RECURRING 2024-01-01..2024-02-01 0',
      'RECURRING 2024-02-01..2024-03-01 0',
    ]);
    const invoices = await engine.acme.invoices.ofAccount({ accountId });
    expect(invoices.map(({ currency }) => currency)).to.eql(['GBP', 'GBP']);
  });
});
